/** Answers as agents write them, long enough to hold every construct between others. */
const fence = '```';

const guide = `# Returning an order

You can return most things within **30 days**. *Opened software* and ~~gift cards~~ vouchers are the exception, see [the terms][terms].

## What you need

1. Your order number, e.g. \`A-2041\`
2. The e-mail address of the order
   - it must be the one that the receipt was sent to
   - a *forwarded* receipt does **not** help:
     1. ask for a new one
     2. wait ~5 minutes
3. The original box, if you still have it

Then:

- [x] open *My orders*
- [ ] choose **Return**
- [ ] print the label

---

Setext headings too
===================

and smaller ones
----------------

> **Note:** the fee of $4.90 is charged once,
> not per item. Two parcels cost $9.80.
>
> > It was $3.90 before 2025.
>
> - nested in a quote
> - twice

| Country | Days | Fee |
|:--------|:----:|----:|
| Germany | 2–3  | 0.00 |
| France  | 3–5  | 4.90 |
| \`a\\|b\` | **x** | ~~1~~ |

Write to support@shop.example or look at https://shop.example/returns?lang=en&step=2 (or www.shop.example).

[terms]: https://shop.example/terms "The terms"
`;

const code = `Here is a small server:

${fence}ts
import { createServer } from 'node:http';

// **not bold**, [not](a link) and no <b>tag</b>
const server = createServer((request, response) => {
  response.end(\`Hello \${request.url}\`);
});
server.listen(0);
${fence}

It answers with:

${fence}
HTTP/1.1 200 OK

Hello /
${fence}

Indented code works as well:

    npm run build

    npm start

~~~~markdown
${fence}js
nested
${fence}
~~~~

Use \`server.close()\` or \`\` \`ticks\` \`\` in a sentence.${'  '}
A hard break before this line,\\
and another one. Math like 2*3*4, a_b_c and $x_1 + y_1$ stays as it is; AT&amp;T &copy; 2026 &mdash; fine.

${fence}json
{"an": "unfinished fence", "that": ["ends", "with", "the", "text"]}
`;

const polyglot = `## 概要 — Übersicht — نظرة عامة

这是**粗体**和*斜体*文字，以及\`代码\`。链接：[官网](https://例え.jp/路径)。

Größe: **42 cm**, Preis: 19,90 €. „Zitat“ – *kursiv*.

هذا نص **غامق** مع [رابط](https://example.org/ar) و\`code\`.

- 一つ目 😀
- 二つ目 👩‍👩‍👧‍👦 **太字**
- 三つ目 🇩🇪

Emoji 😀😀😀 split at every unit, e\u0301 composed, \u{1F468}\u200d\u{1F469} joined.

[foo]: <https://example.org/a b> 'single'
[bar]:
  https://example.org/bar
  "title on its own
line"

See [foo], [Bar][], [text][foo] and [later].  ![picture][foo] ![](https://example.org/p.png)

***both*** __strong__ _em_ **strong *em* strong** *em **strong** em* ~~del **strong**~~

[later]: https://example.org/later
`;

const long = `The paragraph begins here and ${'goes on with **bold words**, *soft words*, `code words`, [a link](https://example.org/x) and plain words, '.repeat(60)}until it ends.

An unclosed *star in a long text ${'keeps nothing back at all and '.repeat(200)}ends.

A bracket [that is not closed ${'stays a bracket in the text, '.repeat(180)}ends.

A tick \` that is alone ${'stays a tick in the text, '.repeat(180)}ends.

${'unbroken'.repeat(1200)}

${fence}
${'a long line of code without an end; '.repeat(200)}
${'short\n'.repeat(400)}${fence}

${Array.from({ length: 120 }, (_, index) => `${'  '.repeat(index % 9)}- item ${index} with **weight**`).join('\n')}

| a | b |
|---|---|
${Array.from({ length: 150 }, (_, index) => `| ${index} | \`${index * index}\` and [l](https://example.org/${index}) |`).join('\n')}
`;

export const longAnswers: readonly string[] = [guide, code, polyglot, long, guide.replaceAll('\n', '\r\n')];

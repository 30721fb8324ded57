/** Answers of any length, as an agent writes them: each repeats a piece until it is long enough, with numbers so that no two are alike. */
function repeated(piece: (index: number) => string, length: number, before = '', after = ''): string {
  let text = before;
  for (let index = 1; text.length < length; index++) text += piece(index);
  return text + after;
}

const sentence =
  'The order was **shipped on Monday** and reaches you by *Thursday*, see `tracking` or [the page](https://shop.example/orders). ';

export const answers = {
  mixed: (length: number) =>
    repeated(
      (index) =>
        `## Step ${index}\n\n${sentence}${sentence}\nIt costs 12.50 a piece, ~~15.00~~ before.\n\n` +
        `- First point ${index} with **weight**\n- Second point with \`code\`\n  - a smaller one\n\n` +
        `\`\`\`js\nconst total = order.items.reduce((sum, item) => sum + item.price, 0);\nconsole.log(total, ${index});\n\`\`\`\n\n` +
        `| Item | Price |\n|:-----|------:|\n| Pen ${index} | 1.20 |\n| Book | 12.00 |\n\n> A note of the shop.\n\n`,
      length,
    ),
  fence: (length: number) =>
    repeated((index) => `const value${index} = compute(${index}, "some text here");\n`, length, '```js\n', '```\n'),
  paragraph: (length: number) => repeated((index) => `${index} ${sentence}`, length),
  table: (length: number) =>
    repeated((index) => `| ${index} | A product with **${index}** parts | ${index * 3}.50 | yes, by Friday |\n`, length, '| # | Name | Price | There |\n|---|---|--:|---|\n'),
  list: (length: number) =>
    repeated((index) => `${'  '.repeat(index % 40)}- point ${index} of a long list with **weight**\n`, length),
} as const;

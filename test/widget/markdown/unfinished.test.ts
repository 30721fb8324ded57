import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDrawing, drawChunks, inSteps, outline } from './support/drawing.ts';
import { longAnswers } from './support/long-answers.ts';
import type { PageNode } from './support/page.ts';

function elements(node: PageNode, name: string): PageNode[] {
  const own = node.localName === name ? [node] : [];
  return [...own, ...node.childNodes.flatMap((child) => elements(child, name))];
}

const addresses = (root: PageNode) => elements(root, 'a').map((link) => link.getAttribute('href') ?? '');

/** What a reader sees after each chunk: the text without what the renderer adds. */
function statesOf(chunks: readonly string[]): { text: string; root: PageNode }[] {
  const { view, root } = createDrawing();
  return chunks.map((chunk) => {
    view.append(chunk);
    view.flush();
    return { text: shownText(root), root };
  });
}

function shownText(node: PageNode): string {
  if (/^md-(code-bar|host)$/.test(node.getAttribute('part') ?? '')) return '';
  return node.nodeType === 3 ? node.data : node.childNodes.map(shownText).join('');
}

describe('while an answer is being written', () => {
  for (const chunks of [
    ['a **bo', 'ld** b'],
    ['a *so', 'ft* b'],
    ['a ***bo', 'th*** b'],
    ['a ~~o', 'ld~~ b'],
    ['a `co', 'de` b'],
    ['a `` co', 'de `` b'],
    ['a [te', 'xt](ht', 'tps://e.x/) b'],
    ['a [text', '](https://e.x/ "ti', 'tle") b'],
    ['a ![al', 't](ht', 'tps://e.x/) b'],
    ['a <https:', '//e.x/> b'],
    ['a **bold', '** and [te', 'xt](https://e.x/) b'],
    ['|a|b|\n|--|-', '-|\n|1|2', '|\n'],
    ['a\n\n|a', '|b|\n|-', '-|--|\n'],
    ['text\n', '-', ' item'],
    ['text\n\n', '1', '.', ' item'],
    ['text\n\n', '#', '#', ' Head'],
    ['text\n\n', '>', ' quote'],
    ['text\n\n', '`', '``', 'js\nx\n', '``', '`\n'],
    ['text\n', '=', '==\n'],
    ['- ', '[', ' ', ']', ' task'],
    ['- a\n', '  - ', '**b', '**'],
  ]) {
    it(`no mark of ${JSON.stringify(chunks)} is seen longer than for one chunk [W7]`, () => {
      const states = statesOf([...chunks, ' and on', ' and on']);
      const withMarks = states.map(({ text }) => /[*~`[\]()|<>#=]|^\s*[-1]/m.test(text));
      assert.equal(
        withMarks.some((hasMark, index) => hasMark && withMarks[index + 1]),
        false,
        JSON.stringify(states.map(({ text }) => text)),
      );
    });
  }

  it('no mark is seen longer than for one chunk, however small the chunks are [W7]', () => {
    const text =
      'Some **bold** and *soft* or ***both***, [te xt](https://e.x/ "t") `code` ~~old~~ _em_ __st__ ![alt](https://e.x/i)\n\n' +
      '| a | **b** |\n|:--|---|\n| c | `d` |\n\n# Head\n\nSetext\n======\n\n- item **x**\n  - [x] task\n\n> quote\n\n```js\nx\n```\n\nend';
    for (const step of [1, 2, 3, 5, 7]) {
      const states = statesOf(inSteps(text, step));
      const seen = states.map(({ text: shown }) => /[*~`[\]()|<>#=]/.exec(shown)?.[0]);
      for (const [index, mark] of seen.entries()) {
        assert.equal(
          mark && seen[index + 1],
          undefined,
          `${mark} in ${states[index]?.text} and ${states[index + 1]?.text}`,
        );
      }
    }
  });

  it('no link leads to a half address, in any beginning of any answer', () => {
    for (const answer of longAnswers.slice(0, 3)) {
      const final = new Set(addresses(drawChunks([answer]).root));
      const { view, root } = createDrawing();
      for (const character of answer) {
        view.append(character);
        view.flush();
        for (const address of addresses(root)) assert.ok(final.has(address), `${address} after ${character}`);
      }
    }
  });

  for (const text of [
    '[te](https://e.x/pa',
    '[te](<https://e.x/',
    'https://e.x/pa',
    'see www.e.x/pa',
    '<https://e.x/pa',
    'me@mail.e',
  ]) {
    it(`${text} shows no link yet`, () => {
      assert.deepEqual(addresses(statesOf([text])[0]?.root as PageNode), []);
    });
  }

  for (const beginning of [
    ...[
      '**',
      '*',
      '_',
      '~~',
      '`',
      '```\n',
      '[',
      '![',
      '[text](',
      '[text](https://e.x/',
      '[text](https://e.x/ "t',
      '[text][la',
    ],
    ...[
      '<a href="x',
      '<https://e.x/',
      '|a|b|\n',
      '|a|b|\n|-',
      '[label]: ',
      '[label]: https://e.x/ "t',
      '> ',
      '- ',
      '1. ',
      '# ',
    ],
    ...['&am', '\\', '***', '<!-- ', '<div>\n', '$$', '    ', '~~~js\n', '![alt](data:image/png;base64,AAAA'],
  ]) {
    it(`${JSON.stringify(beginning)} hides and loses nothing of what comes later`, () => {
      for (const between of [' ', '\n', '\n\n']) {
        const later = `later words that go on${' and on'.repeat(40)} to the end`;
        const chunks = [beginning, between, ...inSteps(later, 9)];
        const states = statesOf([...chunks, ' and more']);
        assert.match(states.at(-1)?.text ?? '', /to the end/);
        assert.match(drawChunks(chunks).root.textContent, /later words that go on and on.*to the end/s);
      }
    });
  }
});

describe('what is drawn stays', () => {
  it('a finished block keeps its nodes, and an answer of 6 KB costs fewer than 200 removals [W1]', () => {
    const text = longAnswers.slice(0, 3).join('\n\n').slice(0, 6000);
    const { view, root, page } = createDrawing();
    let first: PageNode | null = null;
    for (const chunk of inSteps(text, 30)) {
      view.append(chunk);
      view.flush();
      if (!first && root.childNodes.length > 1) first = root.firstChild;
    }
    view.finish();
    view.flush();
    assert.equal(root.firstChild, first);
    assert.ok(page.work.removed < 200, `${page.work.removed} removed`);
  });

  it('a block that is being written keeps its element from chunk to chunk', () => {
    const { view, root } = createDrawing();
    view.append('- one\n- two **wo');
    view.flush();
    const item = elements(root, 'li')[1];
    const strong = elements(root, 'strong')[0];
    view.append('rds** and\n  more');
    view.flush();
    assert.equal(elements(root, 'li')[1], item);
    assert.equal(elements(root, 'strong')[0], strong);
  });

  it('a definition that comes later makes a link of the text that is there and changes nothing else', () => {
    const { view, root, page } = createDrawing();
    view.append('# Head\n\nSee [the *terms*][t] and [t], **bold** text.\n\nAnother [one] here.\n\n');
    view.flush();
    const [heading, paragraph, other] = root.childNodes;
    const otherBefore = outline(other as PageNode);
    const removedBefore = page.work.removed;
    view.append('[t]: https://e.x/terms\n\nThe end.');
    view.flush();
    assert.deepEqual(addresses(root), ['https://e.x/terms', 'https://e.x/terms']);
    assert.deepEqual(root.childNodes.slice(0, 3), [heading, paragraph, other]);
    assert.equal(outline(other as PageNode), otherBefore);
    assert.ok(page.work.removed - removedBefore < 10);
    assert.equal(shownText(paragraph as PageNode), 'See the terms and t, bold text.');
  });

  it('the highlighter gets each finished code block with a language once, and its class stays [W5]', () => {
    const highlighted: string[] = [];
    const highlight = (code: HTMLElement, language: string) => highlighted.push(`${language}: ${code.textContent}`);
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}\n`).join('');
    const { view, root } = createDrawing({ highlight });
    const classes = new Set<string | null>();
    for (const chunk of inSteps(
      `\`\`\`js\n${lines}\`\`\`\n\n\`\`\`\nplain\n\`\`\`\n\n- a\n  \`\`\`css\n  b\n  \`\`\`\n`,
      13,
    )) {
      view.append(chunk);
      view.flush();
      const code = elements(root, 'code')[0];
      if (code?.firstChild) classes.add(code.getAttribute('class'));
    }
    view.finish();
    view.flush();
    assert.deepEqual([...classes], ['language-js']);
    assert.deepEqual(highlighted, [`js: ${lines}`, 'css: b\n']);
  });
});

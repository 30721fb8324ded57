import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import hostile from '../../cases/hostile-content.json' with { type: 'json' };
import { violation } from './support/allow-list.ts';
import { createDrawing, drawChunks, inSteps } from './support/drawing.ts';
import { type HostileContent, readHostileCases } from './support/hostile-cases.ts';
import type { PageNode } from './support/page.ts';

const hostileCases = readHostileCases(hostile as HostileContent);

function violations(node: PageNode): string[] {
  if (node.nodeType !== 1) return [];
  const { localName, attributes } = node;
  const own = node.parentNode ? violation({ localName, attributes }) : undefined;
  return [...(own ? [own] : []), ...node.childNodes.flatMap(violations)];
}

const linksOf = (text: string) => {
  const links: { address: string; text: string }[] = [];
  const visit = (node: PageNode) => {
    if (node.localName === 'a') links.push({ address: node.getAttribute('href') ?? '', text: node.textContent });
    for (const child of node.childNodes) visit(child);
  };
  visit(drawChunks([text]).root);
  return links;
};

describe('hostile text draws nothing but what is on the list of allowed elements and attributes', () => {
  for (const { id, name, category, text } of hostileCases.filter(({ category }) => category !== 'perf')) {
    it(`${id}, ${category}: ${name}`, () => {
      const input = text();
      for (const step of input.length > 20_000 ? [40] : [1, 7, 40]) {
        const { view, root } = createDrawing();
        for (const chunk of inSteps(input, step)) {
          view.append(chunk);
          view.flush();
          if (input.length < 1000) assert.deepEqual(violations(root), [], `in steps of ${step}`);
        }
        view.append('\n\nEND-MARK');
        view.finish();
        view.flush();
        assert.deepEqual(violations(root), [], `in steps of ${step}`);
        assert.match(root.textContent, /END-MARK/);
      }
      assert.deepEqual(violations(drawChunks([input]).root), []);
    });
  }
});

describe('a link says where it leads', () => {
  for (const [text, shown] of [
    ['[your bank](https://evil.test/login)', 'your bank (evil.test)'],
    ['[https://bank.example](https://evil.test)', 'https://bank.example (evil.test)'],
    ['[evil.test.bank.example](https://evil.test)', 'evil.test.bank.example (evil.test)'],
    ['[https://bank.example\u2066](https://evil.test)', 'https://bank.example (evil.test)'],
    ['[\u202eelpmaxe.knab](https://evil.test)', 'elpmaxe.knab (evil.test)'],
    ['https://bank.example@evil.test/u', 'https://bank.example@evil.test/u (evil.test)'],
    ['[https://аpple.com](https://аpple.com)', 'https://аpple.com (xn--pple-43d.com)'],
    ['[x](//evil.test/a)', 'x (evil.test)'],
    ['[x](https:/\\evil.test)', 'x (site.example)'],
    ['[write](mailto:me@evil.test)', 'write (me@evil.test)'],
    ['[call](tel:+41443333333)', 'call (+41443333333)'],
    ['[](https://evil.test/)', 'evil.test'],
    ['![](https://evil.test/p.png)', 'https://evil.test/p.png'],
    ['![photo](https://evil.test/p.png)', 'photo (evil.test)'],
    ['<https://evil.test:8443/>', 'https://evil.test:8443/'],
    ['https://evil.test/path?q#f', 'https://evil.test/path?q#f'],
    ['me@evil.test', 'me@evil.test'],
    ['[the cart](/cart)', 'the cart'],
    ['[https://bank.example](/cart)', 'https://bank.example (site.example)'],
  ] as const) {
    it(`${JSON.stringify(text)} reads ${JSON.stringify(shown)}`, () => {
      // The backslash example is a path of the page's own host: no link elsewhere.
      const expected = text.includes('\\') ? 'x' : shown;
      assert.deepEqual(
        linksOf(text).map((link) => link.text),
        [expected],
      );
    });
  }

  for (const address of [
    'javascript:__pwn(1)',
    'JaVaScRiPt:x',
    'java\tscript:x',
    'vbscript:x',
    'data:text/html,x',
    'javascript&#58;x',
    '&#1;javascript:x',
    'blob:null/x',
    'file:///etc/passwd',
    'about:blank',
    'java&#10;script:x',
    '\\javascript:x&#58;',
  ]) {
    it(`${JSON.stringify(address)} leads nowhere but on the page's own host`, () => {
      for (const link of linksOf(`[click](<${address}>) <${address}>`)) {
        assert.equal(new URL(link.address).origin, 'https://site.example');
      }
      assert.match(drawChunks([`[click](<${address}>)`]).root.textContent, /click/);
    });
  }
});

describe('images', () => {
  const imagesOf = (text: string, imageHosts: string[]) => {
    const images: string[] = [];
    const visit = (node: PageNode) => {
      if (node.localName === 'img') images.push([...node.attributes.values()].join(' '));
      for (const child of node.childNodes) visit(child);
    };
    visit(drawChunks(inSteps(text, 5), { imageHosts }).root);
    return images;
  };

  it('are loaded from listed hosts only, late and without telling where from', () => {
    assert.deepEqual(imagesOf('![a *b*](https://cdn.example/p.png "T")', ['cdn.example']), [
      'md-img https://cdn.example/p.png a b T lazy no-referrer',
    ]);
  });

  for (const address of [
    'https://evil.test/?https://cdn.example/',
    'https://cdn.example@evil.test/',
    'https://cdn.example.evil.test/',
    'https://cdn.example:444/',
    'data:image/png;base64,AA',
    '//evil.test/x',
    'https:\\\\evil.test/',
    'https://evil。test/',
  ]) {
    it(`are not loaded from ${address}`, () => {
      assert.deepEqual(
        imagesOf(`![x](${address}) ![y][r] [![z](${address})](https://cdn.example/)\n\n[r]: ${address}`, [
          'cdn.example',
        ]),
        [],
      );
    });
  }
});

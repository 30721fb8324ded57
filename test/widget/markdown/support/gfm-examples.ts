/** What GitHub's markdown adds: tables, strikethrough, addresses in the text, task items. Written for these tests after its specification. */
export interface GfmExample {
  readonly name: string;
  readonly markdown: string;
  readonly html: string;
}

const box = '<input disabled="" type="checkbox">';
const tickedBox = '<input checked="" disabled="" type="checkbox">';

export const gfmExamples: readonly GfmExample[] = [
  {
    name: 'a table has a header row and body rows',
    markdown: '| foo | bar |\n| --- | --- |\n| baz | bim |\n',
    html: '<table><thead><tr><th>foo</th><th>bar</th></tr></thead><tbody><tr><td>baz</td><td>bim</td></tr></tbody></table>',
  },
  {
    name: 'a table needs no outer pipes and its columns may be aligned',
    markdown: 'abc | defghi | x\n:-: | -----------: | :--\nbar | baz | y\n',
    html: '<table><thead><tr><th align="center">abc</th><th align="right">defghi</th><th align="left">x</th></tr></thead><tbody><tr><td align="center">bar</td><td align="right">baz</td><td align="left">y</td></tr></tbody></table>',
  },
  {
    name: 'an escaped pipe stays in its cell, also inside code',
    markdown: '| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |\n',
    html: '<table><thead><tr><th>f|oo</th></tr></thead><tbody><tr><td>b <code>|</code> az</td></tr><tr><td>b <strong>|</strong> im</td></tr></tbody></table>',
  },
  {
    name: 'a table ends at the beginning of another block',
    markdown: '| abc | def |\n| --- | --- |\n| bar | baz |\n> bar\n',
    html: '<table><thead><tr><th>abc</th><th>def</th></tr></thead><tbody><tr><td>bar</td><td>baz</td></tr></tbody></table><blockquote><p>bar</p></blockquote>',
  },
  {
    name: 'a table goes on with a line without pipes and ends at an empty line',
    markdown: '| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar\n',
    html: '<table><thead><tr><th>abc</th><th>def</th></tr></thead><tbody><tr><td>bar</td><td>baz</td></tr><tr><td>bar</td><td></td></tr></tbody></table><p>bar</p>',
  },
  {
    name: 'a header row with another number of cells than the delimiter row makes no table',
    markdown: '| abc | def |\n| --- |\n| bar |\n',
    html: '<p>| abc | def |\n| --- |\n| bar |</p>',
  },
  {
    name: 'short rows are filled and long rows cut',
    markdown: '| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |\n',
    html: '<table><thead><tr><th>abc</th><th>def</th></tr></thead><tbody><tr><td>bar</td><td></td></tr><tr><td>bar</td><td>baz</td></tr></tbody></table>',
  },
  {
    name: 'a table may have no body',
    markdown: '| abc | def |\n| --- | --- |\n',
    html: '<table><thead><tr><th>abc</th><th>def</th></tr></thead></table>',
  },
  {
    name: 'the lines before the header row are a paragraph',
    markdown: 'The prices:\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    html: '<p>The prices:</p><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
  },
  {
    name: 'a table may stand in a list item and in a quote',
    markdown: '- item\n\n  | a |\n  |---|\n  | 1 |\n\n> | b |\n> |---|\n> | 2 |\n',
    html: '<ul><li><p>item</p><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table></li></ul><blockquote><table><thead><tr><th>b</th></tr></thead><tbody><tr><td>2</td></tr></tbody></table></blockquote>',
  },
  {
    name: 'cells hold emphasis, code and links',
    markdown: '| **a** | `b` | [c](https://site.example/c) |\n|---|---|---|\n',
    html: '<table><thead><tr><th><strong>a</strong></th><th><code>b</code></th><th><a href="https://site.example/c">c</a></th></tr></thead></table>',
  },
  {
    name: 'one or two tildes strike through',
    markdown: '~~Hi~~ Hello, ~there~ world!\n',
    html: '<p><del>Hi</del> Hello, <del>there</del> world!</p>',
  },
  {
    name: 'strikethrough does not reach into another paragraph',
    markdown: 'This ~~has a\n\nnew paragraph~~.\n',
    html: '<p>This ~~has a</p><p>new paragraph~~.</p>',
  },
  {
    name: 'three tildes in a line do not strike through',
    markdown: 'This will ~~~not~~~ strike.\n',
    html: '<p>This will ~~~not~~~ strike.</p>',
  },
  {
    name: 'one tilde is not closed by two',
    markdown: 'a ~b~~ c\n',
    html: '<p>a ~b~~ c</p>',
  },
  {
    name: 'an approximate number is not struck through',
    markdown: 'It takes ~5 days and ~10 euro.\n',
    html: '<p>It takes ~5 days and ~10 euro.</p>',
  },
  {
    name: 'items may have boxes, ticked or not',
    markdown: '- [ ] foo\n- [x] bar\n- [X] baz\n',
    html: `<ul><li>${box} foo</li><li>${tickedBox} bar</li><li>${tickedBox} baz</li></ul>`,
  },
  {
    name: 'task items may be nested and numbered',
    markdown: '1. [x] foo\n   - [ ] bar\n2. baz\n',
    html: `<ol><li>${tickedBox} foo<ul><li>${box} bar</li></ul></li><li>baz</li></ol>`,
  },
  {
    name: 'a box needs a space behind it and stands at the beginning of an item',
    markdown: '- [x]foo\n- a [ ] b\n\n[x] no item\n',
    html: '<ul><li>[x]foo</li><li>a [ ] b</li></ul><p>[x] no item</p>',
  },
  {
    name: 'www. begins an address',
    markdown: 'www.commonmark.org\n',
    html: '<p><a href="http://www.commonmark.org">www.commonmark.org</a></p>',
  },
  {
    name: 'punctuation behind an address is not part of it',
    markdown: 'Visit www.commonmark.org/help, www.commonmark.org.\n\nVisit www.commonmark.org/a.b.\n',
    html: '<p>Visit <a href="http://www.commonmark.org/help">www.commonmark.org/help</a>, <a href="http://www.commonmark.org">www.commonmark.org</a>.</p><p>Visit <a href="http://www.commonmark.org/a.b">www.commonmark.org/a.b</a>.</p>',
  },
  {
    name: 'a closing parenthesis is part of an address only with its opening one',
    markdown:
      'www.google.com/search?q=Markup+(business)\n\nwww.google.com/search?q=Markup+(business)))\n\n(www.google.com/search?q=Markup+(business))\n\n(www.google.com/search?q=Markup+(business)\n',
    html: '<p><a href="http://www.google.com/search?q=Markup+(business)">www.google.com/search?q=Markup+(business)</a></p><p><a href="http://www.google.com/search?q=Markup+(business)">www.google.com/search?q=Markup+(business)</a>))</p><p>(<a href="http://www.google.com/search?q=Markup+(business)">www.google.com/search?q=Markup+(business)</a>)</p><p>(<a href="http://www.google.com/search?q=Markup+(business)">www.google.com/search?q=Markup+(business)</a></p>',
  },
  {
    name: 'an entity behind an address is not part of it',
    markdown: 'www.google.com/search?q=commonmark&hl=en\n\nwww.google.com/search?q=commonmark&copy;\n',
    html: '<p><a href="http://www.google.com/search?q=commonmark&amp;hl=en">www.google.com/search?q=commonmark&amp;hl=en</a></p><p><a href="http://www.google.com/search?q=commonmark">www.google.com/search?q=commonmark</a>©</p>',
  },
  {
    name: '< ends an address',
    markdown: 'www.commonmark.org/he<lp\n',
    html: '<p><a href="http://www.commonmark.org/he">www.commonmark.org/he</a>&lt;lp</p>',
  },
  {
    name: 'http and https begin an address',
    markdown: 'http://commonmark.org\n\n(Visit https://encrypted.google.com/search?q=Markup+(business))\n',
    html: '<p><a href="http://commonmark.org">http://commonmark.org</a></p><p>(Visit <a href="https://encrypted.google.com/search?q=Markup+(business)">https://encrypted.google.com/search?q=Markup+(business)</a>)</p>',
  },
  {
    name: 'an address inside a word is text',
    markdown: 'xhttps://a.example xwww.a.example\n',
    html: '<p>xhttps://a.example xwww.a.example</p>',
  },
  {
    name: 'mail addresses become links',
    markdown: 'foo@bar.baz\n\nhello+xyz@mail.example, hello@mail+xyz.example isn’t.\n',
    html: '<p><a href="mailto:foo@bar.baz">foo@bar.baz</a></p><p><a href="mailto:hello+xyz@mail.example">hello+xyz@mail.example</a>, hello@mail+xyz.example isn’t.</p>',
  },
  {
    name: 'a mail address ends before a dot and not with a dash or underscore',
    markdown: 'a.b-c_d@a.b\n\na.b-c_d@a.b.\n\na.b-c_d@a.b-\n\na.b-c_d@a.b_\n',
    html: '<p><a href="mailto:a.b-c_d@a.b">a.b-c_d@a.b</a></p><p><a href="mailto:a.b-c_d@a.b">a.b-c_d@a.b</a>.</p><p>a.b-c_d@a.b-</p><p>a.b-c_d@a.b_</p>',
  },
  {
    name: 'an address with underscores and stars is one address',
    markdown: 'see https://a.example/b_c_d*e*f now\n',
    html: '<p>see <a href="https://a.example/b_c_d*e*f">https://a.example/b_c_d*e*f</a> now</p>',
  },
  {
    name: 'an address in code, or as the text of a link, is no link of its own',
    markdown: '`https://a.example` [https://a.example/x](https://a.example/x)\n',
    html: '<p><code>https://a.example</code> <a href="https://a.example/x">https://a.example/x</a></p>',
  },
  {
    name: 'a dollar sign means money',
    markdown: 'From $5 to $10, $a_1$ and $$x$$.\n',
    html: '<p>From $5 to $10, $a_1$ and $$x$$.</p>',
  },
];

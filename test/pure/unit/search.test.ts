// The words of searches, as tables: the text of HTML, words, their weights and limits (docs/search.md).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wordForms } from '../../../src/search/forms.ts';
import { extractHtmlText } from '../../../src/search/html.ts';
import { parseSearch, type SearchedWord } from '../../../src/search/query.ts';
import { extractWords, parseSearchWords, searchedText } from '../../../src/search/text.ts';
import type { FieldType } from '../../../src/fields/types.ts';
import { readSearch } from '../../../src/inputs/lists/list.ts';
import { cpuSecondsOf } from '../../support/cpuTime.ts';

const unset = {
  label: null,
  hint: null,
  default: null,
  options: null,
  channel: null,
  min: null,
  max: null,
  message: null,
};

function searched(values: Record<string, unknown>, types: Record<string, FieldType>, language = 'english') {
  const fields = Object.entries(types).map(([name, type]) => ({
    ...{ ...unset, name, type, pattern: null, required: false, unique: false, indexed: false },
  }));
  return searchedText(values, { fields, titleField: 'title', language });
}

test.each([
  ['plain text', 'plain text'],
  ['<p>one</p><p>two</p>', 'one two'],
  ['one<br>two<br/>three', 'one two three'],
  ['un<b>believ</b><em class="x">able</em>', 'unbelievable'],
  ['<a title="not > this" href=\'nor > that\'>link</a>', 'link'],
  ['<p class=secret data-x="hidden">shown</p>', 'shown'],
  ['a<script>var no = "<p>never</p>"; if (a</b/) x()</script >b', 'a b'],
  ['a<STYLE type="text/css">.no { }</sTyLe\n>b', 'a b'],
  ['a<template>no</template>b<script>never closed', 'a b'],
  ['a<!-- no <b> no -->b<!doctype no><?no?>c', 'abc'],
  ['a<!-- never closed', 'a'],
  ['1 < 2 and 3 <4> 5', '1 2 and 3 4 5'],
  ['<', ''],
  ['a <b', 'a'],
  ['a <b title="never closed> b', 'a'],
  ['caf&eacute; Gar&ccedil;on &Uuml;ber Stra&szlig;e &Scaron;koda &alpha;&Omega;', 'café garçon über straße škoda αω'],
  ['&#99;&#x61;&#X66;&#233;', 'café'],
  ['&Aacute;rbol &Aacuterbol &copy 2026', 'árbol árbol 2026'],
  ['AT&amp;T &lt;b&gt; &nbsp; &nosuch; & &; &#0; &#xD800; &#1114112; &#99999999999;', 'at t b nosuch'],
  ['hy&shy;phen', 'hyphen'],
  ['&amp;eacute;', 'eacute'],
  ['&__proto__; &constructor; &aconstructor;', 'proto constructor aconstructor'],
  ['a<template>no<template>no</template>no</template>b', 'a b'],
  ['a<template><script></template></script>no</template>b</script></template>c', 'a b c'],
  ['a<title>1 <b> 2</title>b<textarea>&eacute;</textarea>', 'a 1 b 2 b é'],
  ['a<svg><b/>b</svg>c<SCRIPT/>no</script>d', 'a b c d'],
  ['<b', ''],
  ['a</ no>b</>c', 'abc'],
])('the indexed words of the HTML %j are %j', (html, words) => {
  expect(extractWords(extractHtmlText(html))).toBe(words);
});

test.each([
  ['Straße, ÉTÉ & Ελλάδα', 'straße été ελλάδα'],
  ['e\u0301te\u0301', 'été'],
  ['ﬁne ＦＵＬＬ x²', 'fine full x2'],
  ['soft\u00adhyphen \u202eright\u202c zero\u200dwidth', 'softhyphen right zerowidth'],
  ['node.js foo_bar a-b o’brien', 'node js foo bar a b o brien'],
  ['İSTANBUL', 'istanbul'],
  ['\u0000\u0001control\u0007s\ud800', 'control s'],
  ['👍 thumbs 👨‍👩‍👧', 'thumbs'],
  ['שלום עולם', 'שלום עולם'],
  [`a ${'x'.repeat(255)} ${'y'.repeat(256)} b`, `a ${'x'.repeat(255)} b`],
])('the indexed words of the text %j are %j', (text, words) => {
  expect(extractWords(text)).toBe(words);
});

test('the words of an ASCII text are what is between its other characters, in lower case, without those of 256 characters and more', () => {
  const pieces = fc.constantFrom('a', 'B9', ' ', '  ', '-', ' - ', '\n', '.', 'x'.repeat(254), 'y'.repeat(256));
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const words = text.toLowerCase().split(/[^a-z0-9]+/);
      expect(extractWords(text)).toBe(words.filter((word) => word !== '' && word.length <= 255).join(' '));
    }),
  );
});

test('a word that is too long for the index is not cut to one that matches', () => {
  expect(parseSearchWords('x'.repeat(1_000))).toEqual(['x'.repeat(256)]);
});

/** A search in one line: `*` follows a beginning, `/` parts forms, `_` joins words of a phrase. */
function describeSearch(text: string, language: string): string {
  const describeWord = ({ stems, exact, begins }: SearchedWord): string =>
    [...new Set([...stems, ...exact, ...begins.map((start) => `${start}*`)])].join('/');
  const terms = parseSearch(text, language, { lastBegins: true }).map((all) =>
    all.map(({ without, words }) => `${without ? '-' : ''}${words.map(describeWord).join('_')}`).join(' '),
  );
  return terms.join(' | ');
}

test.each([
  ['one two', 'one two/two*'],
  ['jur ', 'jur/jur*'],
  ['"one two" -three', 'one_two -three'],
  ['two "one"', 'two one'],
  ['one "two thr', 'one two_thr'],
  ['one OR two or -"three four', 'one | two | -three_four'],
  ['or one or or two or', 'or one | or two or/or*'],
  ['one "or" two -or three', 'one or two -or three/three*'],
  ['node.js -foo.bar', 'node_js -foo_bar'],
  ['x node.js', 'x node_js/js*'],
  ['Straße--x', 'straße/strasse_x'],
  ['Fête', 'fête/fete/fete*'],
  ['Müller x', 'müller/muller/mueller x'],
  ['日', '日/日*'],
  ["a:* & b | !c <-> (d) \\ 'e' @1", 'a b c d e 1'],
  ['- -- "" -"" & ', ''],
])('the search %j is parsed as %j', (text, query) => {
  expect(describeSearch(text, 'english')).toBe(query);
});

test.each([
  ['plain words', 'plain words', 'plain words'],
  ['café éte\u0301', 'cafe ete', 'cafe ete'],
  ['straße łódź øre þór æsir ıŋ', 'strasse lodz ore thor aesir ing', 'strasse lodz ore thor aesir ing'],
  ['überall müller', 'uberall muller', 'ueberall mueller'],
  ['ёлка йод', 'елка иод', 'елка иод'],
  ['δρόμος ἀρχή', 'δρομος αρχη', 'δρομος αρχη'],
  ['שָׁלוֹם كَتَبَ', 'שלום كتب', 'שלום كتب'],
  ['हिन्दी กำ が 한국', 'हिन्दी กำ が 한국', 'हिन्दी กำ が 한국'],
  ['a \u0301 ʔ b', 'a \u0301 ʔ b', 'a \u0301 ʔ b'],
])('the form of %j without marks is %j, and the transcribed one %j', (words, plain, transcribed) => {
  const composed = words.normalize('NFC');
  expect(wordForms(composed, 'english')).toEqual({ spelled: composed, plain, transcribed });
});

test('German words with umlauts and ß are respelled, so that Haeuser and Häuser have one stem', () => {
  const spell = (words: string): string => wordForms(words, 'german').spelled;
  expect(spell('haeuser häuser muenchen goethe fußgaenger')).toBe('häuser häuser münchen göthe fussgänger');
  expect(spell('neue bauer quelle frauen treue')).toBe('neue bauer quelle frauen treue');
});

/** The different words, without what parts fields. */
function shownIn(text: string): string[] {
  return [...new Set(text.split(/[ \n]/))].filter((word) => word !== '' && word !== '/x');
}

describe('the words of an entry', () => {
  test('the words of an entry have the weight of their field: the title, short texts, long ones', () => {
    const values = {
      title: 'T',
      s: 'S',
      x: 'X',
      h: '<b>H</b>',
      m: 'a@b.example',
      c: 'choice',
      l: ['list'],
      o: 'undeclared',
    };
    const types = { s: 'string', x: 'text', title: 'html', h: 'html', m: 'email', c: 'select', l: 'strings' } as const;
    const gap = ' /x /x /x /x /x /x /x /x ';
    expect(searched(values, types)).toEqual({ a: `t${gap}\n\n`, b: `s${gap}\n\n`, c: `x${gap}h${gap}\n\n` });
  });

  test('without declared fields, all top-level texts of an entry are indexed', () => {
    const values = { a: 'one', title: 'Two', n: 3, list: ['four'], deep: { five: 'six' }, b: '<i>' };
    expect(searched(values, {})).toMatchObject({
      a: expect.stringMatching(/^two /) as unknown,
      b: '',
      c: expect.stringMatching(/^one .* i /) as unknown,
    });
  });

  test('too many words of an entry are cut at a whole word, the title first', () => {
    const words = searched({ body: 'ab€ '.repeat(100_000), title: 'Title' }, {});
    expect(words.a).toMatch(/^title /);
    expect(Buffer.byteLength(words.c)).toBeGreaterThan(199_900);
    expect(Buffer.byteLength(words.a.trim() + words.c.trim())).toBeLessThanOrEqual(200_000);
    expect(shownIn(words.c)).toEqual(['ab']);
    expect(shownIn(searched({ body: 'añb '.repeat(100_000) }, {}).c)).toEqual(['añb', 'anb']);
  });

  test('an entry whose words have more forms has fewer words indexed', () => {
    const indexed = (text: string, language = 'english'): number => {
      const { c } = searched({ body: text.repeat(100_000) }, {}, language);
      const [spelled = '', plain, transcribed] = c.split('\n');
      return [spelled, plain === '' ? spelled : plain, plain, transcribed].join('').length;
    };
    for (const [text, language] of [
      ['abc '],
      ['añb '],
      ['süß '],
      ['süß ', 'german'],
      ['haeuser ', 'german'],
      ['書 '],
    ] as const) {
      expect(indexed(text, language)).toBeGreaterThan(150_000);
      expect(indexed(text, language)).toBeLessThanOrEqual(400_000);
    }
  });

  test('the three lines of an entry’s words have equally many words, and equal lines are empty', () => {
    const gap = ' /x'.repeat(8) + ' ';
    const values = { x: 'Die Häuser', y: 'und café', z: 'rue' };
    const lines = [`die häuser${gap}und café${gap}rue${gap}`, `die hauser${gap}und cafe${gap}rue${gap}`];
    const transcribed = `die haeuser${gap}und cafe${gap}rue${gap}`;
    expect(searched(values, {}).c).toBe([...lines, transcribed].join('\n'));
    expect(searched({ y: 'und café' }, {}).c).toBe(`und café${gap}\nund cafe${gap}\n`);
    expect(searched({ x: 'Haeuser' }, {}, 'german').c).toBe(`häuser${gap}\nhaeuser${gap}\n`);
  });

  test.each([
    '<',
    '<b',
    '<b>',
    '</a><b>',
    '</a>',
    '<b a="',
    '<template>',
    '<script>',
    '<script></script>',
    '<!--',
    '<!',
    '&',
    '&#',
    '&amp',
    '\u0301\u0323',
    'ﷺ',
    '\u00ad',
    'a',
  ])('indexing takes a bounded time: a mebibyte of %j', async (part) => {
    const html = part.repeat((1 << 20) / part.length);
    expect(await cpuSecondsOf(() => searched({ h: html }, { h: 'html' }))).toBeLessThan(5);
  });
});

// What is refused, or is none: test/once/hostile/lists.test.ts.
test.each([['x'], ['👍'.repeat(1_000)]])('the text of a search may be %.3s…', (text) => {
  expect(readSearch(text, 'q')).toBe(text);
});

test('a long text is processed in pieces that end between two words', () => {
  const words = Array.from({ length: 20_000 }, (_, at) => `wörd\u{1D54F}${at}`);
  expect(extractWords(words.join(', '))).toBe(extractWords(words.join(' ')));
  expect(extractWords(words.join(', ')).split(' ')).toHaveLength(20_000);
  // No more than about a piece beyond what is enough.
  expect(extractWords('\uFDFA'.repeat(340_000), 1_000).length).toBeLessThan(400_000);
  expect(extractWords('\u{1F600}a'.repeat(20_000)).split(' ')).toHaveLength(20_000);
});

// GET /channels/{channel_id}/entries?q=…: which words find an entry, in which language, and that what is written, removed
// or hidden is found, or not, at once (docs/contract.md §5, docs/search.md).
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { languages } from '../../../src/management/channels/input.ts';
import { withoutLooks } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { type buildChannel, buildEntry } from '../../support/build.ts';
import { expectData, expectEntry, type RestEntry } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

withoutLooks();
const app = await suiteApp();

const path = '/channels/texts/entries';
type Values = Record<string, unknown>;

/** The master of a new site with a channel of some entries, by slug. */
async function build(entries: Record<string, Values>, channel: Parameters<typeof buildChannel>[2] = {}) {
  const { db, site, channel: texts, master } = await buildScene(app, { id: 'texts', ...channel });
  for (const [slug, data] of Object.entries(entries)) await buildEntry(db, texts, { slug, data });
  return { site, texts, master: master };
}

/** The slugs of what is found, in alphabetical order, after its count was compared. */
async function found(caller: Caller, q: string): Promise<string[]> {
  const query = `q=${encodeURIComponent(q)}`;
  const list = await caller.rest<RestEntry[]>('GET', `${path}?per_page=250&${query}`);
  expect([q, list.status]).toEqual([q, 200]);
  expect((await caller.rest('GET', `${path}/count?${query}`)).body).toEqual({ count: list.body.length });
  expect(list.headers.get('x-total-count')).toBe(String(list.body.length));
  return list.body.map(({ slug }) => slug).sort();
}

const declared = [
  { name: 'title', type: 'string' },
  { name: 'body', type: 'text' },
  { name: 'page', type: 'html' },
  { name: 'mail', type: 'email' },
  { name: 'code', type: 'select', options: ['zebra'] },
  { name: 'tags', type: 'strings' },
  { name: 'any', type: 'json' },
] as const;

describe('what is searched', () => {
  test.each([
    ['running', ['run']],
    ['RUNS fox', ['run']],
    ['fox', ['run', 'sleep']],
    ['fox -sleeping', ['run']],
    ['-fox', ['other']],
    ['sleeps OR naïve', ['other', 'sleep']],
    ['"brown fox"', ['run']],
    ['"fox brown"', []],
    ['fox "lazy dog"', ['sleep']],
    ['node.js', ['other']],
    ['well-known', ['other']],
    ['the', []],
    ['"', []],
    ['the fox', ['run', 'sleep']],
    ["fox' | cat & <-> :* ( \\ %_", []],
    ['NAÏVE', ['other']],
    ['naïve'.normalize('NFD'), ['other']],
  ])('a search finds the entries with its words: %s', async (q, slugs) => {
    const { master } = await build({
      run: { title: 'A quick brown fox', body: 'It runs.' },
      sleep: { title: 'Sleeping', body: 'The fox, and the lazy dog' },
      other: { title: 'Naïve', body: 'A well-known node.js thing' },
    });
    expect(await found(master, q)).toEqual(slugs);
  });

  test('a search finds string, text and html fields alone, and no tags', async () => {
    const page = '<p class="hidden">sh<b>own</b> caf&eacute;</p><script>script()</script><!-- comment --><p>next</p>';
    const values = { title: 'alpha', body: 'beta', page, mail: 'gamma@x.example', code: 'zebra', tags: ['delta'] };
    const { master } = await build({ one: { ...values, any: 'epsilon', more: 'eta' } }, { fields: [...declared] });
    for (const q of ['alpha', 'beta', 'shown', 'café', 'next', '"shown café"', 'alpha beta shown'])
      expect([q, await found(master, q)]).toEqual([q, ['one']]);
    const without = [
      'class',
      'hidden',
      'p',
      'script',
      'comment',
      'eacute',
      'gamma',
      'zebra',
      'delta',
      'epsilon',
      'eta',
    ];
    for (const q of without) expect([q, await found(master, q)]).toEqual([q, []]);
  });

  test('without declared fields, a search finds each text of an entry, and no other value', async () => {
    const { master } = await build({
      one: { title: 'alpha', a: 'beta', n: 42, t: true, l: ['list'], o: { k: 'deep' } },
    });
    for (const q of ['alpha', 'beta']) expect([q, await found(master, q)]).toEqual([q, ['one']]);
    for (const q of ['42', 'true', 'list', 'deep', 'k', 'title', 'one'])
      expect([q, await found(master, q)]).toEqual([q, []]);
  });

  test('a phrase does not match across two fields', async () => {
    const { master } = await build({ one: { a: 'first end', b: 'start last', title: 'head line' } });
    for (const q of ['"end start"', '"line first"', '"end the start"', '"first end start"'])
      expect([q, await found(master, q)]).toEqual([q, []]);
    for (const q of ['"first end"', '"start last"', 'end start'])
      expect([q, await found(master, q)]).toEqual([q, ['one']]);
  });

  test('a search finds no entry by the ids that are indexed with its text', async () => {
    const { master, texts } = await build({ one: { title: 'alpha', body: 'beta' } });
    for (const q of [texts.uid, `@${texts.uid}`, `'@${texts.uid}'`, '/x', 'x', '"/x /x"', texts.siteId])
      expect([q, await found(master, q)]).toEqual([q, []]);
  });
});

test.each([
  ['english', 'The houses were running', ['house', 'run'], ['the', 'horse']],
  ['german', 'Die Häuser der ÄPFEL', ['haus', 'äpfel', 'Apfel', 'HÄUSERN'], ['die', 'der', 'house']],
  ['french', 'Les chevaux continuaient l’hôtel', ['cheval', 'continuer', 'hôtels', 'L’HÔTEL'], ['la', 'maison']],
  ['russian', 'КНИГИ и книжки', ['книга', 'книг'], ['и']],
  ['turkish', 'İstanbul kitapları', ['istanbul', 'kitap'], ['izmir']],
  ['arabic', 'كتاب جديد', ['كتاب'], ['قديم']],
  ['greek', 'Οι ΔΡΌΜΟΙ', ['δρόμος', 'δρομος'], ['οδός']],
  ['simple', 'The houses', ['the', 'HOUSES'], ['"house"']],
])('a search finds other forms of words in %s', async (language, title, matching, others) => {
  const { master } = await build({ one: { title } }, { language });
  for (const q of matching) expect([q, await found(master, q)]).toEqual([q, ['one']]);
  for (const q of others) expect([q, await found(master, q)]).toEqual([q, []]);
});

describe('marks', () => {
  test.each(languages)('a search ignores diacritics of queries and texts in %s', async (language) => {
    const { master } = await build(
      { with: { title: 'Crème Brûlée naïve' }, without: { title: 'creme brulee naive' } },
      { language },
    );
    for (const q of ['brûlée', 'BRULEE', '"creme brulee"', '"crème brûlée"', 'creme naïve', 'brulee -other', 'brul'])
      expect([q, await found(master, q)]).toEqual([q, ['with', 'without']]);
    for (const q of ['-brulee', '-brûlée naive', '"brûlée crème"'])
      expect([q, await found(master, q)]).toEqual([q, []]);
  });

  test.each([
    ['french', 'Les éléphants rosés', ['elephant rose', 'ÉLÉPHANTS ROSES', 'eleph', 'elephants rosé']],
    [
      'english',
      'Łódź, Smørrebrød, Straße, Đà Nẵng',
      ['lodz', 'smorrebrod', 'strasse', 'STRASSE', 'da nang', '"đa nang"'],
    ],
    ['greek', 'Ο άνθρωπος', ['ανθρωπος', 'ἄνθρωπος', 'ανθ']],
    ['russian', 'Зелёный чай', ['зеленый чай', 'зеленая', 'зел']],
    ['arabic', 'كَتَبَ', ['كتب', 'كت']],
    ['simple', 'שָׁלוֹם עולם', ['שלום', 'שלום עו']],
    ['simple', '東京タワー がく', ['東', '東京', '"がく"']],
    ['spanish', 'El niño pequeño', ['nino', 'ninos pequenos', 'niño']],
  ])('a search ignores diacritics in %s: %s', async (language, title, matching) => {
    const { master } = await build({ one: { title } }, { language });
    for (const q of matching) expect([q, await found(master, q)]).toEqual([q, ['one']]);
  });

  // These run on a PostgreSQL of any version and on the embedded one, whose stemmers differ.
  test.each([
    [
      'München',
      ['muenchen', 'MÜNCHEN', 'munchen', 'muench', 'münch', '"muenchen"', '"munchen"'],
      ['muench x', '-muenchen'],
    ],
    ['Muenchen', ['münchen', 'muenchen', 'Münch'], ['mund']],
    ['Die Fußgänger', ['fussgaenger', 'fußgaenger', 'fussgänger', 'fussganger', 'fussg'], ['"fussg"']],
    ['Häuser', ['haeuser', 'haus', 'haeusern', 'häusern', 'hauser', 'haeu', '"haeuser"', '"häuser"'], ['maus']],
    ['Das Haus', ['haeuser', 'häuser', 'haeusern'], ['hauser x']],
    ['Neue Frauen treuer Bauern', ['neue frauen', 'treu', 'bauer', 'neü'], ['neu x']],
    ['Goethe und Israel', ['goethe', 'göthe', 'israel', 'isr', 'goe'], ['gothe x']],
  ])('a German search for %s finds its spellings alike on each database', async (title, matching, others) => {
    const { master } = await build({ one: { title } }, { language: 'german' });
    for (const q of matching) expect([q, await found(master, q)]).toEqual([q, ['one']]);
    for (const q of others) expect([q, await found(master, q)]).toEqual([q, []]);
  });
});

describe('the last word', () => {
  const films = {
    jurassic: { title: 'Jurassic Park', body: 'A theory of the lost world' },
    jury: { title: 'The Jury of Zoë', body: 'In the well-known café' },
  };

  test.each([
    ['jur', ['jurassic', 'jury']],
    ['JURASSI', ['jurassic']],
    ['jurassics', ['jurassic']],
    ['park jur', ['jurassic']],
    ['jur park', []],
    ['"jur"', []],
    ['"jurassic pa', []],
    ['jur "park"', []],
    ['-jur', ['jurassic', 'jury']],
    ['park -jur', ['jurassic']],
    ['nothing or jur', ['jurassic', 'jury']],
    ['jur or nothing', []],
    ['zoe', ['jury']],
    ['zö', ['jury']],
    ['well-kn', ['jury']],
    ['well kno', ['jury']],
    ['j', []],
    ['jur &', ['jurassic', 'jury']],
    // Stop words, which are indexed nowhere: alone, they are beginnings.
    ['the', ['jurassic']],
    ['jury the', ['jury']],
    ['the in', []],
    ['"the"', []],
    ['the of or -in', []],
  ])('the last word of a search is a beginning, unless it is quoted or excluded: %s', async (q, slugs) => {
    const { master } = await build(films);
    expect(await found(master, q)).toEqual(slugs);
  });

  test('words of digits and letters, which PostgreSQL splits, are found by their beginning', async () => {
    const { master } = await build({ one: { title: '3e8a7b 1e5 2001' } });
    for (const q of ['3e8a7b', '3e8a', '1e5', '"3e8a7b 1e5"', '20'])
      expect([q, await found(master, q)]).toEqual([q, ['one']]);
    expect(await found(master, '3e9')).toEqual([]);
  });
});

describe('what changes', () => {
  test('a search finds an entry by its present values', async () => {
    const { master } = await build({});
    const { id } = expectEntry(
      await master.rest('POST', path, { body: { slug: 'one', title: 'alpha', b: 'beta' } }),
      201,
    );
    expect(await found(master, 'alpha beta')).toEqual(['one']);
    expectEntry(await master.rest('PATCH', `${path}/${id}`, { body: { b: 'gamma' } }));
    expect(await found(master, 'beta')).toEqual([]);
    expect(await found(master, 'alpha gamma')).toEqual(['one']);
    expectEntry(await master.rest('PATCH', `${path}/${id}`, { body: { b: null } }));
    expect(await found(master, 'gamma')).toEqual([]);
    await master.rest('DELETE', `${path}/${id}`);
    expect(await found(master, 'alpha')).toEqual([]);
  });

  const change = 'mutation ($input: ChannelPatch!) { updateChannel(id: "texts", input: $input) { id } }';

  test('a removed field is not searched until it is declared again', async () => {
    const { master } = await build({ one: { title: 'alpha', body: 'beta' } }, { fields: [...declared] });
    expectData(await master.gql(change, { input: { fields: [{ name: 'title', type: 'STRING' }] } }));
    expect(await found(master, 'alpha')).toEqual(['one']);
    expect(await found(master, 'beta')).toEqual([]);
    const fields = [
      { name: 'title', type: 'STRING' },
      { name: 'body', type: 'TEXT' },
    ];
    expectData(await master.gql(change, { input: { fields } }));
    expect(await found(master, 'beta')).toEqual(['one']);
  });

  test('a new language applies to the stored entries', async () => {
    const { master } = await build({ one: { title: 'Häuser' } }, { language: 'simple' });
    expect(await found(master, '"haus"')).toEqual([]);
    expectData(await master.gql(change, { input: { language: 'german' } }));
    expect(await found(master, '"haus"')).toEqual(['one']);
  });

  test('a search finds no entry that is still to be rebuilt', async () => {
    const { master, texts, site } = await build({ one: { title: 'alpha', body: 'beta' }, two: { title: 'alpha' } });
    const { prisma } = app.database;
    const { siteId, uid } = texts;
    const where = { siteId_uid: { siteId, uid } };
    await prisma.channel.update({ where, data: { fieldsVersion: 2 } });
    await prisma.entry.updateMany({ where: { siteId, channelUid: uid, slug: 'two' }, data: { fieldsVersion: 2 } });
    const visitor = as(app, { token: site.public });
    for (const caller of [master, visitor]) {
      for (const [q, slugs] of [
        ['alpha', ['two']],
        ['beta', []],
        ['-beta', ['two']],
      ] as const)
        expect([q, await found(caller, q)]).toEqual([q, slugs]);
    }
    await prisma.channel.update({ where, data: { derivedVersion: 2 } });
    // As by another process: the service knows it within a second.
    await sleep(1_000);
    expect(await found(master, 'alpha')).toEqual(['one', 'two']);
  });
});

describe('hostile texts are written, and found by what of them is indexed', () => {
  const mebibyte = 1_000_000;
  const distinct = Array.from({ length: 150_000 }, (_, index) => (index + 50_000).toString(36)).join(' ');
  test.each([
    ['distinct words', distinct.slice(0, mebibyte), (50_000).toString(36)],
    ['no space', 'x'.repeat(mebibyte), null],
    ['signs alone', '<&"/@.-_:'.repeat(mebibyte / 20), null],
    ['control characters', 'word\u0001\u001f\u007f\u0085 '.repeat(10_000), 'word'],
    ['right to left', '\u202eשלום\u202c עולם '.repeat(30_000), 'שלום'],
    ['emoji', '👨‍👩‍👧 smile '.repeat(15_000), 'smile'],
    ['marks', `e${'\u0301\u0323'.repeat(200_000)}`, null],
    ['addresses', 'http://user@host.example:80/path?query#part '.repeat(10_000), 'host.example'],
    ['hyphens', 'a-b-'.repeat(mebibyte / 8), 'b'],
    ['numbers', '1e5 -2.5 +3 0x1f '.repeat(20_000), '2.5'],
  ])('a hostile text is stored, and found by its indexed words: %s', async (_name, text, q) => {
    const { master } = await build({});
    const body = { slug: 'hostile', title: 'hostile', body: text };
    expectEntry(await master.rest('POST', path, { body }), 201);
    expect(await found(master, 'hostile')).toEqual(['hostile']);
    if (q !== null) expect(await found(master, q)).toEqual(['hostile']);
    expect(await found(master, 'x'.repeat(1_000))).toEqual([]);
  });
});

// The faults that `npm run mutate` plants into the search, and into the names that are made of titles.

// Pure tests alone: each fault is planted and run within seconds.
const found = ['test/pure/unit/search.test'];

/** @type {import('./index.d.mts').Mutant[]} */
export const searchMutants = [
  {
    name: 'search: each place of many words is compared with each of all others',
    in: 'rank',
    find: 'maxNearWords',
    put: '1_000',
    tests: ['test/pure/unit/searchRank'],
  },
  {
    name: 'search: each place of the words that begin so is compared with each of other words',
    in: 'rank',
    find: 'words.some((word) => word.begins.length > 0)',
    put: 'false',
    tests: ['test/pure/unit/searchRank'],
  },
  {
    name: 'search: marks are left as they are',
    in: 'removeMarksOfWord',
    find: "word.normalize('NFD').replace(marks, '').normalize('NFC')",
    put: 'word',
    tests: found,
  },
  {
    name: 'search: the last word is no beginning',
    in: 'parseSearch',
    find: 'lastBegins && isLast && !without && !isQuoted',
    put: 'lastBegins && isLast && !without && !isQuoted && false',
    tests: found,
  },
  {
    name: 'search: an excluded word, and the last one of a phrase, are beginnings',
    in: 'parseSearch',
    find: 'lastBegins && isLast && !without && !isQuoted',
    put: 'lastBegins && isLast',
    tests: found,
  },
  {
    name: 'search: German umlauts are stemmed as each database does',
    in: 'wordForms',
    find: "language === 'german' ? respellGerman(words) : words",
    put: 'words',
    tests: ['test/pure/unit/search.test', 'test/both/rest/search'],
  },
  {
    name: 'search: more forms of a long text are indexed than fit',
    in: 'fitForms',
    find: 'countForms(forms)',
    put: '1',
    tests: ['test/pure/unit/search.test'],
  },
  {
    name: 'search: whole words do not come first',
    in: 'searchRank',
    find: '{ lastBegins: false }',
    put: '{ lastBegins: true }',
    tests: ['test/both/graphql/search'],
  },
  {
    name: 'slugs: letters without a decomposition are left out',
    in: 'plainSlug',
    find: "const slug = toAscii((title ?? '').slice(0, maxSluggedLength)).toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, maxSlugLength + 1)",
    put: "const slug = (title ?? '').slice(0, maxSluggedLength).normalize('NFKD').replace(/\\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, maxSlugLength + 1)",
    tests: ['test/pure/rules/slug'],
  },
  {
    name: 'slugs: a letter that is written in parts is transcribed part by part',
    in: 'toAscii',
    find: "text.replace(/(\\p{M}{8})\\p{M}+/gu, '$1').normalize('NFC')",
    put: "text.replace(/(\\p{M}{8})\\p{M}+/gu, '$1')",
    tests: ['test/pure/rules/slug'],
  },
];

// The faults that `npm run mutate` plants into the search, and into the names that are made of titles.

// Pure tests alone: each fault is planted and run within seconds.
const found = ['test/pure/unit/search.test'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const searchMutants = [
  {
    name: 'search: each place of many words is compared with each of all others',
    file: 'src/search/searchSql.ts',
    find: 'words.length <= (begins ? 1 : maxNearWords)',
    put: 'words.length <= (begins ? 1 : 1_000)',
    tests: ['test/pure/unit/searchRank'],
  },
  {
    name: 'search: each place of the words that begin so is compared with each of other words',
    file: 'src/search/searchSql.ts',
    find: 'const begins = words.some((word) => word.begins.length > 0);',
    put: 'const begins = false;',
    tests: ['test/pure/unit/searchRank'],
  },
  {
    name: 'search: marks are left as they are',
    file: 'src/search/forms.ts',
    find: "const bare = word.normalize('NFD').replace(marks, '').normalize('NFC');",
    put: 'const bare = word;',
    tests: found,
  },
  {
    name: 'search: the last word is no beginning',
    file: 'src/search/query.ts',
    find: 'const begins = lastBegins && isLast && !without && !isQuoted;',
    put: 'const begins = lastBegins && isLast && !without && !isQuoted && false;',
    tests: found,
  },
  {
    name: 'search: an excluded word, and the last one of a phrase, are beginnings',
    file: 'src/search/query.ts',
    find: 'const begins = lastBegins && isLast && !without && !isQuoted;',
    put: 'const begins = lastBegins && isLast;',
    tests: found,
  },
  {
    name: 'search: German umlauts are stemmed as each database does',
    file: 'src/search/forms.ts',
    find: "const spelled = language === 'german' ? respellGerman(words) : words;",
    put: 'const spelled = words;',
    tests: ['test/pure/unit/search.test', 'test/both/rest/search'],
  },
  {
    name: 'search: more forms of a long text are indexed than fit',
    file: 'src/search/text.ts',
    find: 'const count = countForms(forms);',
    put: 'const count = 1;',
    tests: ['test/pure/unit/search.test'],
  },
  {
    name: 'search: whole words do not come first',
    file: 'src/search/searchSql.ts',
    find: '{ lastBegins: false }',
    put: '{ lastBegins: true }',
    tests: ['test/both/graphql/search'],
  },
  {
    name: 'slugs: letters without a decomposition are left out',
    file: 'src/rules/names.ts',
    find: "const slug = toAscii((title ?? '').slice(0, maxSluggedLength))",
    put: "const slug = (title ?? '').slice(0, maxSluggedLength).normalize('NFKD').replace(/\\p{M}/gu, '')",
    tests: ['test/pure/rules/slug'],
  },
  {
    name: 'slugs: a letter that is written in parts is transcribed part by part',
    file: 'src/rules/ascii.ts',
    find: ".normalize('NFC'));",
    put: ');',
    tests: ['test/pure/rules/slug'],
  },
];

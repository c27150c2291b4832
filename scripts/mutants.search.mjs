// The faults that `npm run mutate` plants into the search, and into the names that are made of titles.

/** @type {import('./mutants.mjs').Mutant[]} */
export const searchMutants = [
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

// What bench/sizes.mjs asks: of channels of any size, and of those of which a caller may see few entries.
import { articleId, countYears, rareTag, rareWord } from './content.mjs';

/** How many entries of a sparse channel a caller may see. */
export const seen = 50;
export const withoutTotal = { Prefer: 'count=none' };
const create = { method: 'POST', expected: 201 };

/** What is asked of a channel of n entries, whoever asks: as many matches in each channel, or the same part of each. */
const middle = (n) => Math.floor(countYears(n) / 2);
export const questions = [
  { name: 'first page with total', path: () => '/entries' },
  { name: 'first page', path: () => '/entries', headers: withoutTotal },
  { name: '100th page by cursor', path: (n, { newest }) => `/entries?cursor=${newest}`, headers: withoutTotal },
  { name: 'fetch by id', path: (n, { id }) => `/entries/${articleId(id, Math.floor(Math.random() * n))}` },
  { name: 'fetch by slug', path: (n) => `/entries/article-${Math.floor(Math.random() * n)}` },
  { name: 'create', path: () => '/entries', ...create },
  { name: 'indexed field: equality', path: (n) => `/entries?year=${middle(n)}`, headers: withoutTotal },
  { name: 'indexed field: sort', path: () => '/entries?sort=-year', headers: withoutTotal },
  {
    name: 'indexed field: sort, 100th page by cursor',
    path: (n, { sorted }) => `/entries?sort=-year&cursor=${sorted}`,
    headers: withoutTotal,
  },
  { name: 'search for a rare word', path: (n) => `/entries?q=${rareWord(n)}` },
];

/** Further lists, which a public token asks for with and without their total. */
export const lists = [
  ['equality, 1 match', (n) => `title=Article ${Math.floor(n / 2)}`],
  ['equality, a tenth', () => 'country=Country 3'],
  ['membership, 100 matches', (n) => `tags=${rareTag(n)}`],
  ['membership, a tenth', () => 'tags=Kind 4'],
  ['membership of two', (n) => `tags.all=Kind 4,${rareTag(n)}`],
  ['range, 100 matches', (n) => `year.gte=${middle(n)}&year.lt=${middle(n) + 1}`],
  ['range, a half', (n) => `year.gte=${middle(n)}`],
  ['range and sort', (n) => `year.gte=${middle(n)}&sort=year`],
  ['equality, a tenth, and sort', () => 'country=Country 3&sort=-year'],
].flatMap(([name, query]) => {
  const path = (n) => `/entries?${encodeURI(query(n))}`;
  return [
    { name, path, headers: withoutTotal },
    { name: `${name}, with total`, path },
  ];
});

/** The SQL of the access lists of a sparse channel by the number n of an entry. */
const every = (step) => `n % greatest(1, ${step})`;
const grants = (step) => `CASE ${every(step)} WHEN 0 THEN '{"role:reader": {"read": true}}'
  WHEN 1 THEN '{"id:robin": {"read": true}}' ELSE '{}' END::jsonb`;
const scope = (read) => ({ acl: { read } });

/** The channels of which a caller may see few entries, and a plain one as large. */
export const sparseChannels = [
  { id: 'plain' },
  { id: 'granted', settings: scope('NONE'), members: (step) => ({ acl: grants(step) }) },
  {
    id: 'owned',
    settings: scope('PRIVATE'),
    members: (step) => ({ owner: `CASE ${every(step)} WHEN 0 THEN 'robin' END` }),
  },
];
const manyRoles = Array.from({ length: 499 }, (_, index) => `role-${index}`);
export const customers = { robin: [], reader: ['reader'], many: ['reader', ...manyRoles] };

/** Who reads which of these channels, as a ratio to anybody's page of the plain one. */
export const sparseLists = [
  { name: 'plain', channel: 'plain' },
  { name: `none, ${seen} granted by role`, channel: 'granted', customer: 'reader' },
  { name: `none, ${seen} granted by id`, channel: 'granted', customer: 'robin' },
  { name: `private, ${seen} owned`, channel: 'owned', customer: 'robin' },
  { name: 'plain, by a customer of 500 roles', channel: 'plain', customer: 'many' },
  { name: `none, ${seen} granted by role, 500 roles`, channel: 'granted', customer: 'many' },
];

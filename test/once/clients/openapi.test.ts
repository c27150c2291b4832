// Typed clients of REST by openapi-typescript with openapi-fetch, and by @hey-api/openapi-ts, from the document that the service
// gives (docs/contract.md §11.1): what they generate compiles, sends filters that the service understands, and holds calls to
// what there is. The same by orval: openapi.orval.test.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { removeScratch } from '../../support/scratch.ts';
import { diagnose } from './diagnose.ts';
import {
  foundYears,
  generate,
  generatorDirectory,
  misspelled,
  query,
  runProgram,
  suiteOpenApi,
} from './openapiScene.ts';

const { app, site, document } = await suiteOpenApi();
afterAll(removeScratch);

const root = join(import.meta.dirname, '../../..');

/** A program, and what is to be in the place of something in it. */
type Program = (changes?: { filters?: string; path?: string; member?: string; body?: string }) => string;

const byOpenApiFetch: Program = ({
  filters = query,
  path = '/channels/films/entries',
  member = 'year',
  body = "title: 'A'",
} = {}) => `
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/service.js';
declare const process: { argv: string[] };
const [, , baseUrl = '', token = ''] = process.argv;
const client = createClient<paths>({
  baseUrl,
  headers: { Authorization: \`Bearer \${token}\` },
  querySerializer: { array: { style: 'form', explode: false } },
});
const { data, error } = await client.GET('${path}', { params: { query: ${filters} } });
if (data === undefined) throw new Error(error.code + error.detail);
const count = await client.GET('/channels/films/entries/count', { params: { query: { 'year.gte': 1992 } } });
export const film: components['schemas']['films.NewEntry'] = { ${body} };
console.log(JSON.stringify([data.map(({ ${member} }) => ${member}), count.data?.count]));
`;

const byHeyApi: Program = ({ filters = query, member = 'year', body = "title: 'A'" } = {}) => `
import { filmsCountEntries, filmsListEntries, type FilmsNewEntry } from './generated/index.js';
declare const process: { argv: string[] };
const [, , baseUrl = '', token = ''] = process.argv;
const { data, error } = await filmsListEntries({ baseUrl, auth: token, query: ${filters} });
if (data === undefined) throw new Error(JSON.stringify(error));
const count = await filmsCountEntries({ baseUrl, auth: token, query: { 'year.gte': 1992 } });
export const film: FilmsNewEntry = { ${body} };
console.log(JSON.stringify([data.map(({ ${member} }) => ${member}), count.data?.count]));
`;

const generators: [string, (directory: string) => Promise<void>, Program][] = [
  [
    'openapi-typescript',
    async (directory) => {
      const types = await openapiTypescript(document as unknown as OpenAPI3);
      writeFileSync(join(directory, 'generated/service.ts'), astToString(types));
    },
    byOpenApiFetch,
  ],
  [
    '@hey-api/openapi-ts',
    async (directory) => {
      const program = join(root, 'node_modules/@hey-api/openapi-ts/bin/run.js');
      const options = [
        '-i',
        'openapi.json',
        '-o',
        'generated',
        '-c',
        '@hey-api/client-fetch',
        '--silent',
        '--no-log-file',
      ];
      await generate(directory, program, options);
    },
    byHeyApi,
  ],
];

describe.each(generators)('%s', (_name, generateClient, program) => {
  test('the generated client compiles, and gets the filtered films; a misspelled call does not compile', async () => {
    const directory = generatorDirectory(document);
    await generateClient(directory);
    const write = (name: string, text: string): string => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const file = write('good.ts', program());
    expect(diagnose(file)).toEqual([]);
    expect(await runProgram(file, app.url, site.public)).toEqual([foundYears, 7]);
    const wrong = [
      ...misspelled.map((filter) => ({ filters: `{ ${filter} }` })),
      ...[{ member: 'yaer' }, { body: "titel: 'A'" }, { body: "title: 'A', year: 'late'" }],
    ];
    for (const [index, changes] of wrong.entries()) {
      expect([changes, diagnose(write(`wrong${index}.ts`, program(changes))).length]).not.toEqual([changes, 0]);
    }
  }, 600_000);
});

test('openapi-typescript: a call of a missing path does not compile', async () => {
  const directory = generatorDirectory(document);
  await generators[0]?.[1](directory);
  const file = join(directory, 'wrong.ts');
  writeFileSync(file, byOpenApiFetch({ path: '/channels/film/entries' }));
  expect(diagnose(file)).not.toEqual([]);
}, 600_000);

// openapi-typescript and openapi-fetch, with the document that the service gives: the generated types compile with a call, and
// a call that misspells a field, a parameter or a path does not.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import createClient from 'openapi-fetch';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';
import { diagnose } from './diagnose.ts';
import { filmCount, suiteFilms } from './library.ts';

const { app, visitor, manager } = await suiteFilms();
afterAll(removeScratch);

interface Calls {
  readonly filter?: string;
  readonly path?: string;
  readonly member?: string;
  readonly body?: string;
}

/** A program with calls of the generated client. */
const program = ({
  filter = "'year.gte': 1992",
  path = '/channels/films/entries',
  member = 'year',
  body = "title: 'Film 9'",
}: Calls = {}): string => `
import createClient from 'openapi-fetch';
import type { components, paths } from './service.js';
const client = createClient<paths>({ baseUrl: '' });
export async function years(): Promise<(number | null | undefined)[]> {
  const { data, error } = await client.GET('${path}', {
    params: { query: { filters: { ${filter} }, sort: ['-year'], per_page: 3 } },
  });
  if (data === undefined) throw new Error(error.code + error.detail);
  return data.map(({ ${member} }) => ${member});
}
export async function create(): Promise<string> {
  const film: components['schemas']['films.NewEntry'] = { ${body} };
  const { data } = await client.POST('/channels/films/entries', { body: film });
  return data?.id ?? '';
}
`;

// Before the test that compiles: a compilation holds up the service of this process until idle connections are closed.
test('openapi-fetch sends what the document describes, and gets it', async () => {
  const client = createClient<Record<string, Record<string, never>>>({
    baseUrl: app.url,
    headers: visitor,
    querySerializer: { array: { style: 'form', explode: false }, object: { style: 'form', explode: true } },
  }) as unknown as {
    GET: (path: string, init: object) => Promise<{ data?: { year: number }[]; response: Response }>;
  };
  const query = { filters: { 'year.gte': 1992 }, sort: ['-year', 'title'], per_page: 3 };
  const { data, response } = await client.GET('/channels/films/entries', { params: { query } });
  expect(response.status).toBe(200);
  const last = 1_990 + filmCount;
  expect(data?.map(({ year }) => year)).toEqual([last, last - 1, last - 2]);
});

test('the types of the document compile, and hold calls to what there is', async () => {
  const document = (await (await fetch(`${app.url}/openapi.json`, { headers: manager })).json()) as OpenAPI3;
  // Below the project, so that the generated code finds the libraries that it imports.
  const directory = scratchDirectory(join(import.meta.dirname, '../../..'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  write('service.ts', astToString(await openapiTypescript(document)));
  expect(diagnose(write('good.ts', program()))).toEqual([]);
  const wrong: Calls[] = [
    { member: 'yaer' },
    { filter: "'year.gtee': 1992" },
    { filter: 'yaer: 1992' },
    { filter: "year: 'late'" },
    { path: '/channels/film/entries' },
    { body: "titel: 'Film 9'" },
    { body: "title: 'Film 9', year: 'late'" },
  ];
  for (const [index, calls] of wrong.entries()) {
    expect([calls, diagnose(write(`wrong${index}.ts`, program(calls))).length]).not.toEqual([calls, 0]);
  }
}, 240_000);

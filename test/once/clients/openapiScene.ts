// What the tests of generators for OpenAPI share: a site whose lists take every kind of filter, and programs with calls of the
// generated clients, which are compiled and run as their users do.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';
import { scratchDirectory } from '../../support/scratch.ts';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The service with films and people, and a channel that declares no fields. */
export async function suiteOpenApi() {
  const app = await suiteApp();
  const db = app.database.prisma;
  const site = await buildSite(db);
  const people = await buildChannel(db, site.id, {
    id: 'people',
    titleField: 'name',
    fields: [
      { name: 'name', type: 'string' },
      { name: 'born', type: 'date' },
    ],
  });
  const films = await buildChannel(db, site.id, {
    id: 'films',
    fields: [
      { name: 'title', type: 'string', required: true },
      { name: 'year', type: 'integer' },
      { name: 'colour', type: 'boolean' },
      { name: 'genres', type: 'multi_select', options: ['Noir', 'Drama', 'Short'] },
      { name: 'rated', type: 'select', options: ['U', '12', '18'] },
      { name: 'director', type: 'reference', channel: 'people' },
      { name: 'extra', type: 'json' },
      { name: 'place', type: 'geo' },
      { name: 'contact', type: 'email' },
      { name: 'site', type: 'url' },
      { name: 'poster', type: 'file' },
    ],
  });
  await buildChannel(db, site.id, { id: 'notes' });
  const [ada, bob] = [
    await buildEntry(db, people, { slug: 'ada', data: { name: 'Ada', born: '1950-01-01' } }),
    await buildEntry(db, people, { slug: 'bob', data: { name: 'Bob', born: '1970-01-01' } }),
  ];
  for (let number = 1; number <= 8; number += 1) {
    const data = {
      ...{ title: `Film ${number}`, year: 1_990 + number, colour: number % 2 === 0, rated: number < 5 ? 'U' : '18' },
      ...{ genres: [['Noir', 'Drama', 'Short'][number % 3]], director: (number % 4 === 0 ? bob : ada).id },
    };
    await buildEntry(db, films, { slug: `film-${number}`, data });
  }
  const response = await fetch(`${app.url}/openapi.json`, { headers: { Authorization: `Bearer ${site.master}` } });
  return { app, site, document: (await response.json()) as Record<string, unknown> };
}

/** A query with several operators, comma lists, enums and a reference; what its answers are. */
export const query = `{
  'year.gte': 1992, 'year.lt': 1998, 'genres.in': 'Noir,Drama', 'rated.ne': 'U', 'director.name': 'Ada',
  'director.born.lt': '1960-01-01', 'title.contains': 'film', 'year.exists': true, 'slug.nin': 'film-1,film-2',
  sort: ['-year', 'title'], per_page: 3,
}`;
/** Of the films 5 to 7: the director of 8 is Bob, and 5 is a short one. */
export const foundYears = [1997, 1996];
/** What no program may say of the query. */
export const misspelled = ["'year.gtee': 1992", 'yaer: 1992', "year: 'late'", "rated: '21'", "'year.in': 1992"];

/** A directory below the project, so that generated code finds the libraries that it imports; with the document in it. */
export function generatorDirectory(document: object): string {
  const directory = scratchDirectory(root);
  mkdirSync(join(directory, 'generated'));
  writeFileSync(join(directory, 'openapi.json'), JSON.stringify(document));
  return directory;
}

/** Runs a generator as people do. @throws where it fails */
export async function generate(directory: string, program: string, args: readonly string[]): Promise<void> {
  await run(process.execPath, [program, ...args], { cwd: directory });
}

/** Runs a program of TypeScript, which is told the service's address and a token. @returns the JSON that it prints */
export async function runProgram(file: string, url: string, token: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', file, url, token], { cwd: root });
  return JSON.parse(stdout);
}

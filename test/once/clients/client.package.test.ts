// The package of clients/typescript as it is installed: what it holds, that generated types compile with it and mistakes do not,
// and that the examples of its README and of docs/typed.md do what they say.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import typescript from 'typescript';
import { createDemo } from '../../../src/cli/demo/demo.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { installClient, runNode } from '../../support/clientPackage.ts';
import { demoClient, testDatabase } from '../../support/db.ts';
import { entryway } from '../../support/process.ts';
import { removeScratch } from '../../support/scratch.ts';
import { diagnose } from './diagnose.ts';

const root = join(import.meta.dirname, '../../..');
let app: TestApp;
let close: () => Promise<void>;
let environment: Record<string, string>;
/** Where the package is installed, with the types of the demo site as channels.ts. */
let directory: string;

beforeAll(async () => {
  const database = await testDatabase();
  const demo = await createDemo(demoClient(database));
  app = await startApp({}, database);
  close = async () => {
    await app.close();
    await database.close();
  };
  const customer = await database.prisma.customer.findFirstOrThrow({ where: { siteId: 'demo' } });
  const { master = '', public: visitor = '' } = demo?.tokens ?? {};
  environment = { ENTRYWAY_URL: app.url, MASTER: master, PUBLIC: visitor, CUSTOMER: customer.id };
  directory = await installClient();
  const printed = await entryway(['types'], { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: visitor });
  expect([printed.code, printed.stderr]).toEqual([0, '']);
  writeFileSync(join(directory, 'channels.ts'), printed.stdout);
});
afterAll(async () => {
  await close();
  removeScratch();
});

/** The examples of a page as one program, and what it says that each prints. */
function readExamples(path: string): { program: string; printed: string } {
  const page = readFileSync(join(root, path), 'utf8');
  // The half of docs/typed.md before it is GraphQL's (test/once/typed/page.test.ts).
  const rest = page.slice(Math.max(page.indexOf('\n## REST\n'), 0));
  const blocks = [...rest.matchAll(/^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)];
  return {
    program: blocks.map(([, program = '']) => program).join('\n'),
    printed: blocks.map(([, , printed = '']) => printed).join(''),
  };
}

const environmentType =
  'declare const process: { env: Record<"ENTRYWAY_URL" | "MASTER" | "PUBLIC" | "CUSTOMER", string | undefined> };\n';

test.each(['clients/typescript/README.md', 'docs/typed.md'])(
  'the client’s examples of %s compile, and print the documented output',
  async (path) => {
    const { program, printed } = readExamples(path);
    expect(program).toContain('createClient');
    const file = join(directory, 'examples.ts');
    writeFileSync(file, environmentType + program);
    expect(diagnose(file)).toEqual([]);
    const { outputText } = typescript.transpileModule(program, {
      compilerOptions: { module: typescript.ModuleKind.ESNext, target: typescript.ScriptTarget.ES2022 },
    });
    writeFileSync(join(directory, 'examples.mjs'), outputText);
    expect(await runNode(['examples.mjs'], directory, environment)).toBe(printed);
  },
);

/** Each line has one mistake. */
const mistakes = [
  "createClient<Channels>({ url: '' });",
  "service.channel('flims');",
  'films.list({ where: { yaer: 1979 } });',
  "films.list({ where: { year: '1979' } });",
  'films.list({ where: { year: { gtee: 1979 } } });',
  "films.list({ where: { year: { contains: '7' } } });",
  "films.list({ where: { genres: 'Horor' } });",
  'films.list({ where: { or: [{ yaer: 1979 }] } });',
  "films.list({ where: { not: { genres: { all: ['Horor'] } } } });",
  "films.list({ where: { 'director.nmae': 'Ada' } });",
  "films.list({ where: { 'director.born': 1937 } });",
  "films.list({ where: { 'sequel_of.director': 'ada' } });",
  "films.list({ where: { _owner: 'ada' } });",
  "films.list({ sort: ['yaer'] });",
  "films.list({ sort: ['director'] });",
  "films.list({ include: ['title'] });",
  "films.list({ include: ['director.name'] });",
  "films.list({ only: ['yaer'] });",
  'films.list({ page: 2 });',
  'films.count({ where: { yaer: 1979 } });',
  "void films.get('alien').then(({ yaer }) => yaer);",
  "void films.get('alien', { only: ['title'] }).then(({ year }) => year);",
  "void films.get('alien').then(({ year }) => year.toFixed());",
  "void films.get('alien').then(({ director }) => director?.name);",
  "void films.get('alien', { include: ['director'] }).then(({ director }) => director?.nmae);",
  'void films.list().page().then(({ entries }) => entries[0]?._version);',
  'void films.create({ year: 1979 });',
  'void films.create({ title: null });',
  "void films.create({ title: 'Alien', yaer: 1979 });",
  "void films.create({ title: 'Alien', genres: ['Horor'] });",
  "void films.update('alien', { yaer: 1979 });",
  "void films.update('alien', { title: null });",
  "void films.update('alien', { year: 1979 }, { ifVersion: '1' });",
  "void films.bulk([{ op: 'create', data: { yaer: 1979 } }]);",
  "void films.bulk([{ op: 'delete' }]);",
  "service.changes({ types: ['entry.made'] });",
  "void service.changes().page().then(({ changes }) => changes.map((each) => each.channel === 'flims'));",
];

const program = `import { createClient } from 'entryway-client';
import type { Channels } from './channels.js';
const service = createClient<Channels>({ url: '', token: '' });
export const films = service.channel('films');
export async function good(): Promise<void> {
  const found = films.list({
    where: { year: { gte: 1979 }, genres: 'Horror', 'director.name': { contains: 'a' }, and: [{ 'sequel_of.year': 1 }], not: {} },
    sort: ['-year', 'created_at'],
    include: ['director', 'sequel_of.director'],
    only: ['year', 'director', 'sequel_of', '_version'],
  });
  for await (const { id, year, director, sequel_of, _version } of found) {
    const texts: (string | null | undefined)[] = [id, director?.name, sequel_of?.title, sequel_of?.director?.slug];
    const born: string | null | undefined = sequel_of?.director && 'born' in sequel_of.director ? sequel_of.director.born : null;
    const numbers: (number | null)[] = [year, _version];
    void [texts, born, numbers];
  }
  const film = await films.create({ title: 'Alien', director: 'ridley-scott', genres: ['Horror'], sequel_of: null });
  // What was read can be sent back.
  const { title, ...rest } = film;
  await films.update(film.id, { ...rest, ...(title !== null && { title }) }, { ifVersion: film._version });
  for await (const change of service.changes({ include: 'entry' })) {
    const text: string | null | undefined = change.channel === 'films' ? change.entry?.title : change.entry?.slug;
    void text;
  }
  await service.channel('articles').create({ anything: [1], _status: 'draft' });
  await createClient({ url: '', token: '' }).channel('any').list({ where: { any: { gt: 1 } }, include: ['any'] }).all();
}
`;

test('generated types compile with the client, and mistakes do not', () => {
  const file = join(directory, 'program.ts');
  writeFileSync(file, program + mistakes.map((line) => `// @ts-expect-error\n${line}\n`).join(''));
  expect(diagnose(file)).toEqual([]);
});

test('the client’s package is publishable, and complete without superfluous files', async () => {
  const installed = join(directory, 'node_modules/entryway-client');
  const npm = process.env['npm_execpath'] ?? join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js');
  const printed = await runNode([npm, 'pack', '--dry-run', '--json', '--ignore-scripts'], installed);
  const [{ files }] = JSON.parse(printed) as [{ files: { path: string }[] }];
  const modules = readdirSync(join(root, 'clients/typescript/src')).map((name) => name.replace(/\.ts$/, ''));
  const built = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
  expect(files.map(({ path }) => path).sort()).toEqual(['README.md', ...built, 'package.json'].sort());
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
  const main = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).toMatchObject({ license: main['license'], engines: main['engines'], sideEffects: false });
  for (const name of ['private', 'dependencies', 'peerDependencies']) expect(manifest).not.toHaveProperty(name);
});

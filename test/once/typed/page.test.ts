// The half of docs/typed.md that is GraphQL's, done as it stands there on the demo site: its commands, its page and its table.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDemo } from '../../../src/cli/demo/demo.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { runNode } from '../../support/clientPackage.ts';
import { demoClient, testDatabase } from '../../support/db.ts';
import { expectData } from '../../support/expect.ts';
import { entryway } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';
import { diagnose } from '../clients/diagnose.ts';
import { generateCode } from '../clients/generate.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/typed.md'), 'utf8').split('\n## REST\n')[0] ?? '';

/** The blocks of a language, in their order. */
function blocksOf(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);
}

const [commands = ''] = blocksOf('sh');
const [config = '', source = ''] = blocksOf('ts');
const [printed = ''] = blocksOf('text');

let app: TestApp;
let close: () => Promise<void>;
let environment: Record<string, string>;

beforeAll(async () => {
  const database = await testDatabase();
  const demo = await createDemo(demoClient(database));
  app = await startApp({}, database);
  close = async () => {
    await app.close();
    await database.close();
  };
  const { master = '', public: visitor = '' } = demo?.tokens ?? {};
  environment = { ENTRYWAY_URL: app.url, MASTER: master, PUBLIC: visitor };
  // What curl sends.
  for (const line of commands.split('\n').filter((each) => each.startsWith('curl '))) await sendAs(line);
});
afterAll(async () => {
  await close();
  removeScratch();
});

const call = /^curl -X (\w+) "\$ENTRYWAY_URL(\S+)"((?: -H "[^"]+")*) -d '([^']+)'$/;

async function sendAs(line: string): Promise<void> {
  const [, method = '', path = '', sent = '', body = ''] = call.exec(line) ?? [];
  const headers = [...sent.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name = '', value = '']) => [
    name,
    value.replace(/\$(\w+)/g, (_all, variable: string) => environment[variable] ?? ''),
  ]);
  const response = await fetch(app.url + path, { method, headers: Object.fromEntries(headers), body });
  expect([line, response.status]).toEqual([line, 200]);
}

interface Config {
  readonly schema: string;
  readonly documents: string;
  readonly generates: Record<string, { preset: string; config: Record<string, unknown> }>;
}

test('the commands of the document make a page that compiles, and prints the documented output', async () => {
  // Below the project, so that the page finds the libraries that it imports.
  const directory = scratchDirectory(root);
  const lines = commands.split('\n').filter((line) => line !== '' && !/^(#|curl )/.test(line));
  expect(lines).toEqual([
    'ENTRYWAY_TOKEN=$PUBLIC npx entryway schema > schema.graphql',
    'npx graphql-codegen --config codegen.ts',
    'npx tsx src/page.ts',
  ]);
  const { ENTRYWAY_URL = '', PUBLIC = '' } = environment;
  const { code, stdout: sdl, stderr } = await entryway(['schema'], { ENTRYWAY_URL, ENTRYWAY_TOKEN: PUBLIC });
  expect([code, stderr]).toEqual([0, '']);
  mkdirSync(join(directory, 'src'));
  writeFileSync(join(directory, 'codegen.mjs'), config);
  const { default: settings } = (await import(pathToFileURL(join(directory, 'codegen.mjs')).href)) as {
    default: Config;
  };
  const { 'src/gql/': generated } = settings.generates;
  expect(settings).toMatchObject({ schema: 'schema.graphql', documents: 'src/**/*.ts' });
  expect(generated?.preset).toBe('client');
  const [, document = ''] = /graphql\(`(.*?)`\)/s.exec(source) ?? [];
  await generateCode(join(directory, 'src'), sdl, document, generated?.config);
  const file = join(directory, 'src/page.ts');
  writeFileSync(file, source);
  expect(await runNode(['--import', 'tsx', 'src/page.ts'], directory, environment)).toBe(printed);
  const types = 'declare const process: { env: Record<string, string | undefined> };\nexport {};\n';
  const compiled = (text: string): string[] => {
    writeFileSync(file, types + text);
    return diagnose(file);
  };
  expect(compiled(source)).toEqual([]);
  expect(compiled(source.replaceAll('director', 'directer'))).not.toEqual([]);
  expect(compiled(source.replace('before: 2000', "before: '2000'"))).not.toEqual([]);
}, 600_000);

/** The rows of the table: what one writes, and what one gets. */
const rows = [...page.matchAll(/^\| [^|]+\| `([^|]+)` +\| `([^|]+)` +\|$/gm)].map(
  ([, document = '', answer = '']) => [document, answer] as const,
);

test('the table of docs/typed.md has examples of reads and of writes', () => {
  expect(rows.length).toBeGreaterThan(5);
  expect(page.match(/^\| /gm)).toHaveLength(rows.length + 2);
});

test.each(rows)('an example of the table has the documented answer: %s', async (document, answer) => {
  const isWrite = /^(create|update|delete)/.test(document);
  const master = as(app, { token: environment['MASTER'] ?? '' });
  const visitor = as(app, { token: environment['PUBLIC'] ?? '' });
  const text = `${isWrite ? 'mutation' : 'query'} { answer: ${document} }`;
  const { answer: got } = expectData(await (isWrite ? master : visitor).gql(text, {}, { path: '/graphql/site' }));
  expect(got).toEqual(JSON.parse(answer));
});

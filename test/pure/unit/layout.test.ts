// The layout of src/ and of its clients (docs/architecture.md): every file has a floor, few files stand at the root, and no folder is a
// drawer.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { clients, floors, mayCross, mayImport, roomOf } from '../../../scripts/lint/floors.mjs';

const root = join(import.meta.dirname, '../../..');
const source = join(root, 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !/^(generated|types)\//.test(path),
);

test('every file of src/ has a floor, and every floor has a file', () => {
  expect(files.filter((path) => roomOf(path) === undefined)).toEqual([]);
  const rooms = new Set(files.map(roomOf));
  expect(floors.flat().filter((room) => !rooms.has(room))).toEqual([]);
});

test('at most four files stand at the root of src/', () => {
  expect(files.filter((path) => !path.includes('/')).length).toBeLessThanOrEqual(4);
});

/** The files of a client, by their paths in the project. */
function filesOf(client: string): string[] {
  return readdirSync(join(root, client), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/(^|\/)dist\//.test(path))
    .map((path) => join(client, path));
}

test('no folder of src/ and clients/ has more than 15 files', () => {
  const counts = new Map<string, number>();
  const written = [...files.map((path) => join('src', path)), ...filesOf('clients')];
  for (const path of written) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 15)).toEqual([]);
});

test('a room imports from lower floors alone, and files without a floor from none', () => {
  expect(mayImport('resolvers/perform.ts', 'entries/model.ts')).toBe(true);
  expect(mayImport('entries/model.ts', 'resolvers/perform.ts')).toBe(false);
  expect(mayImport('features/audit/list.ts', 'features/explain/explain.ts')).toBe(false);
  expect(mayImport('new.ts', 'base/errors.ts')).toBe(false);
});

test('a client imports what it names, and is run by commands alone', () => {
  expect(mayCross('clients/cli/src/sync.ts', 'src/rules/names.ts')).toBe(true);
  expect(mayCross('clients/cli/src/sync.ts', 'src/entries/model.ts')).toBe(false);
  expect(mayCross('clients/cli/src/sync.ts', 'clients/typescript/src/transport.ts')).toBe(true);
  expect(mayCross('clients/typescript/src/client.ts', 'clients/cli/src/sync.ts')).toBe(false);
  expect(mayCross('clients/typescript/src/client.ts', 'src/base/enums.ts')).toBe(false);
  expect(mayCross('console/app/main.tsx', 'src/rules/access.ts')).toBe(true);
  expect(mayCross('console/app/main.tsx', 'src/rules/names.ts')).toBe(false);
  expect(mayCross('src/main.ts', 'clients/cli/src/sync.ts')).toBe(true);
  expect(mayCross('src/cli/serve/serve.ts', 'clients/typescript/src/transport.ts')).toBe(false);
  expect(mayCross('src/rest/router.ts', 'clients/cli/src/sync.ts')).toBe(false);
});

test.each(Object.entries(clients))('%s imports each file of src/ that it names', (client, { uses, sources }) => {
  const texts = filesOf(client).map((path) => readFileSync(join(root, path), 'utf8'));
  const isImported = (path: string): boolean => texts.some((text) => text.includes(`../${path}'`));
  expect(sources.filter((path) => !isImported(`src/${path}`))).toEqual([]);
  expect(uses.filter((name) => !texts.some((text) => text.includes(`/${basename(name)}/src/`)))).toEqual([]);
});

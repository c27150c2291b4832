// The contents of a production install and of the package, and builds that have nothing to do or cannot succeed.
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

afterEach(removeScratch);

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

test('a production install has at most 200 packages', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const needed = Object.entries(packages).filter(
    ([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional,
  );
  expect(needed.length).toBeGreaterThan(100);
  expect(needed.length).toBeLessThanOrEqual(200);
});

test('the code of any-ascii in the build has its license', () => {
  for (const name of ['anyAscii', 'block'])
    expect(readFileSync(join(root, `dist/generated/anyAscii/${name}.js`), 'utf8')).toMatch(
      /^\/\*! any-ascii [\d.]+\n\nISC License\n\nCopyright \(c\) /,
    );
});

/** Runs the check of the engines that the packages of a lock file name. */
function checkEngines(file: string): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [join(root, 'scripts/checkEngines.mjs'), file], { encoding: 'utf8' });
}

test('every locked package runs on every version of Node that package.json names', () => {
  expect(checkEngines(join(root, 'package-lock.json'))).toMatchObject({ status: 0, stderr: '' });
});

test('a package that needs a newer Node fails the check of the lock file; npm leaves out an optional one', () => {
  const file = join(scratchDirectory(), 'package-lock.json');
  const newer = { version: '2.0.2', engines: { node: '>=22.15.0' } };
  const packages = { 'node_modules/promises': newer, 'node_modules/native': { ...newer, optional: true } };
  writeFileSync(file, JSON.stringify({ packages }));
  const { status, stderr } = checkEngines(file);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^promises 2\.0\.2 needs Node >=22\.15\.0, but package\.json names .+\.\n$/);
});

test('no package script runs when the package is installed', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const ofInstalls = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];
  expect(Object.keys(scripts).filter((name) => ofInstalls.includes(name))).toEqual([]);
});

/** Runs the build of a project that has the sources named, and no development dependencies. */
function build(project: string, ...words: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [join(project, 'scripts/build.mjs'), ...words], { encoding: 'utf8' });
}

test('without development dependencies, `prepare` explains how to build, and the build fails', () => {
  const project = scratchDirectory();
  for (const name of ['scripts/build.mjs', 'scripts/outputs.mjs']) cpSync(join(root, name), join(project, name));
  const prepared = build(project, '--prepare');
  expect([prepared.status, prepared.stderr]).toEqual([0, expect.stringMatching(/npm ci --include=dev.*production/)]);
  expect(build(project).status).toBe(1);
});

/** A project with the scripts of this one, a page, and nothing to generate. @returns its directory */
function makeProject(): string {
  const project = scratchDirectory();
  const copied = ['package.json', 'scripts/build.mjs', 'scripts/outputs.mjs', 'tsconfig.json', 'tsconfig.build.json'];
  for (const name of copied) cpSync(join(root, name), join(project, name));
  for (const name of ['src', 'schema', 'console']) mkdirSync(join(project, name));
  const settings = { root: join(project, 'console'), build: { emptyOutDir: true } };
  writeFileSync(join(project, 'console/vite.config.ts'), `export default ${JSON.stringify(settings)};\n`);
  writeFileSync(join(project, 'console/index.html'), '<!doctype html><title>first</title>');
  cpSync(join(root, 'dist/pgdata.tar.gz'), join(project, 'dist/pgdata.tar.gz'));
  cpSync(join(root, 'dist/pgdata.version'), join(project, 'dist/pgdata.version'));
  writeFileSync(join(project, 'scripts/generate.mjs'), '');
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  return project;
}

test('a build that is up to date is kept, and one of other sources is replaced', () => {
  const project = makeProject();
  const output = (): string => readFileSync(join(project, 'dist/main.js'), 'utf8');
  const source = (text: string): void => writeFileSync(join(project, 'src/main.ts'), text);

  source('export const state: string = "first";\n');
  expect(build(project, '--prepare')).toMatchObject({ status: 0, stderr: '' });
  expect(output()).toContain('first');
  writeFileSync(join(project, 'dist/main.js'), 'kept');
  expect(build(project, '--prepare')).toMatchObject({ status: 0, stderr: '' });
  expect(output()).toBe('kept');
  source('export const state: number = "wrong";\n');
  expect(build(project).status).toBe(1);
  expect(output()).toBe('kept');
  source('export const state: string = "second";\n');
  expect(build(project)).toMatchObject({ status: 0, stderr: '' });
  expect(output()).toContain('second');
});

test('the pages are rebuilt only after a change of their sources', () => {
  const project = makeProject();
  const page = join(project, 'dist/pages/index.html');
  const write = (name: string, text: string): void => writeFileSync(join(project, name), text);
  const rebuild = (): string => {
    expect(build(project)).toMatchObject({ status: 0, stderr: '' });
    return readFileSync(page, 'utf8');
  };
  write('src/main.ts', 'export const state: string = "first";\n');
  expect(rebuild()).toContain('first');
  writeFileSync(page, 'kept');
  write('src/main.ts', 'export const state: string = "second";\n');
  expect(rebuild()).toBe('kept');
  write('console/index.html', '<!doctype html><title>second</title>');
  expect(rebuild()).toContain('second');
  // The console has the rules of access from the service.
  writeFileSync(page, 'kept');
  mkdirSync(join(project, 'src/rules'));
  write('src/rules/access.ts', 'export const rule = 1;\n');
  expect(rebuild()).toContain('second');
});

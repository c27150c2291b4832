// What a production install and the package hold, and what a build does where it has nothing to do or cannot build.
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

/** Runs the build of a project that has the sources named, and no development dependencies. */
function build(project: string, ...words: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [join(project, 'scripts/build.mjs'), ...words], { encoding: 'utf8' });
}

test('without development dependencies, preparing says how to build, and building fails', () => {
  const project = scratchDirectory();
  cpSync(join(root, 'scripts/build.mjs'), join(project, 'scripts/build.mjs'));
  const prepared = build(project, '--prepare');
  expect([prepared.status, prepared.stderr]).toEqual([0, expect.stringMatching(/npm ci --include=dev.*production/)]);
  expect(build(project).status).toBe(1);
});

test('a build that is up to date is left as it is, and one of other sources is not', () => {
  const project = scratchDirectory();
  for (const name of ['package.json', 'scripts/build.mjs', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(join(root, name), join(project, name));
  mkdirSync(join(project, 'src'));
  mkdirSync(join(project, 'schema'));
  cpSync(join(root, 'dist/pgdata.tar.gz'), join(project, 'dist/pgdata.tar.gz'));
  cpSync(join(root, 'dist/pgdata.version'), join(project, 'dist/pgdata.version'));
  // Nothing is to be generated here.
  writeFileSync(join(project, 'scripts/generate.mjs'), '');
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
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

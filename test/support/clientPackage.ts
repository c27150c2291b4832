// The package of clients/typescript, as somebody who installed it has it.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from './scratch.ts';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'clients/typescript');

/** Runs a program of Node to its end. @throws Error with what it printed, where it fails */
export async function runNode(
  words: readonly string[],
  directory: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const child = spawn(process.execPath, words, { cwd: directory, env: { ...process.env, ...env } });
  let printed = '';
  let failed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (failed += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`node ${words.join(' ')} ended with ${String(code)}: ${printed}${failed}`);
  return printed;
}

/**
 * Builds the package with its own settings, and installs it in a directory below the project; `removeScratch` deletes it. The
 * compiler runs in a process of its own, so that the service of this one goes on.
 * @returns the directory
 */
export async function installClient(): Promise<string> {
  const directory = scratchDirectory(root);
  const installed = join(directory, 'node_modules/entryway-client');
  mkdirSync(installed, { recursive: true });
  for (const name of ['package.json', 'README.md']) cpSync(join(source, name), join(installed, name));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await runNode([compiler, '-p', source, '--outDir', join(installed, 'dist')], root);
  return directory;
}

// docs/getting-started.md, run as it stands: its blocks in one shell, one after the other, on a first start.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serve, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';
import { printedPattern, shellBlocks, withoutSpace } from '../support/shellPage.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${checkout}${path}`, 'utf8');

const [first, ...blocks] = shellBlocks(read('docs/getting-started.md'));
/** What stands between the outputs of two blocks. */
const separator = '\u001e';

let service: ServiceProcess;
let dataDirectory: string;
/** What each block printed. */
let printed: string[];

beforeAll(async () => {
  dataDirectory = scratchDirectory();
  service = await serve({ DATA_DIR: dataDirectory });
  printed = await runBlocks();
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  removeScratch();
});

/** Runs all blocks but the first in one shell, which stops at the first command that fails. */
async function runBlocks(): Promise<string[]> {
  const { host } = new URL(service.url);
  const script = blocks.map(({ commands }) => `${commands}\nprintf '${separator}'\n`).join('');
  const here = script.replaceAll('localhost:4000', host);
  const { DATABASE_URL: _url, ...inherited } = process.env;
  const env = { ...inherited, DATA_DIR: dataDirectory };
  const { stdout } = await promisify(execFile)('sh', ['-euc', here], { cwd: checkout, env });
  return stdout.split(separator).slice(0, -1);
}

test('docs/getting-started.md starts the service with the command of the README, which continuous integration runs', () => {
  const command = 'npm ci && node dist/main.js serve';
  expect(first?.commands).toBe(`${command}\n`);
  expect(read('README.md')).toContain(`\n${command} `);
});

test('every block of docs/getting-started.md runs without an error', () => {
  expect(blocks.length).toBeGreaterThan(15);
  expect(printed).toHaveLength(blocks.length);
});

test.each(blocks.map((block, index) => [block.line, block, index] as const))(
  'the block at line %i of docs/getting-started.md prints the output that the page shows',
  (_line, { printed: shown }, index) => {
    expect(withoutSpace(printed[index] ?? '')).toMatch(printedPattern(shown ?? ''));
  },
);

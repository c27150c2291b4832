// docs/changes.md, run as it stands: its blocks in one shell, one after the other, on the demo site of a first start.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serve, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';
import { printedPattern, shellBlocks, withoutSpace } from '../support/shellPage.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const blocks = shellBlocks(readFileSync(`${checkout}docs/changes.md`, 'utf8'));
/** What stands between the outputs of two blocks. */
const separator = '\u001e';

let service: ServiceProcess;
/** What each block printed. */
let printed: string[];

beforeAll(async () => {
  const dataDirectory = scratchDirectory();
  service = await serve({ DATA_DIR: dataDirectory, DEMO: 'on' });
  // The demo's publications whose time has passed are recorded in the background, within some seconds.
  await sleep(3_000);
  const { host } = new URL(service.url);
  const script = blocks.map(({ commands }) => `${commands}\nprintf '${separator}'\n`).join('');
  // The page's commands run in the checkout, and its file goes elsewhere.
  const here = script.replaceAll('localhost:4000', host).replaceAll('npx entryway', `node ${checkout}dist/main.js`);
  const { DATABASE_URL: _url, ...inherited } = process.env;
  const env = { ...inherited, DATA_DIR: dataDirectory };
  const { stdout } = await promisify(execFile)('sh', ['-euc', here], { cwd: scratchDirectory(), env });
  printed = stdout.split(separator).slice(0, -1);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  removeScratch();
});

test('every block has run', () => {
  expect(blocks.length).toBeGreaterThan(5);
  expect(printed).toHaveLength(blocks.length);
});

test.each(blocks.map((block, index) => [block.line, block, index] as const))(
  'line %i prints what the page shows',
  (_line, { printed: shown }, index) => {
    expect(withoutSpace(printed[index] ?? '')).toMatch(printedPattern(shown ?? ''));
  },
);

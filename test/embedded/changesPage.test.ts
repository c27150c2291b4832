// docs/changes.md, run as it stands: its blocks in one shell, one after the other, on the demo site of a first start.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { as } from '../support/as.ts';
import { entryway, serve, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';
import { printedPattern, shellBlocks, withoutSpace } from '../support/shellPage.ts';
import { until } from '../support/webhooks.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const blocks = shellBlocks(readFileSync(`${checkout}docs/changes.md`, 'utf8'));
/** What stands between the outputs of two blocks. */
const separator = '\u001e';

let service: ServiceProcess;
/** What each block printed. */
let printed: string[];

/**
 * Waits until the demo's article that was published by its time is in the feed, which happens in the background: otherwise it may come
 * between two blocks.
 */
async function publicationRecorded(dataDirectory: string): Promise<void> {
  const command = ['token', 'create', '--kind', 'master', '--site', 'demo', '--json'];
  const { stdout } = await entryway(command, { DATA_DIR: dataDirectory });
  const master = as(service, { token: (JSON.parse(stdout) as { token: string }).token });
  const { body: article } = await master.rest<{ id: string }>(
    'GET',
    '/channels/articles/entries/bread-from-a-cooling-oven',
  );
  const listChanges = async (): Promise<readonly { type: string; id: string }[]> => {
    const { body } = await master.rest<{ changes: { type: string; id: string }[] }>('GET', '/changes');
    return body.changes;
  };
  await until(listChanges, (changes) =>
    changes.some(({ type, id }) => type === 'entry.published' && id === article.id),
  );
}

beforeAll(async () => {
  const dataDirectory = scratchDirectory();
  service = await serve({ DATA_DIR: dataDirectory, DEMO: 'on' });
  await publicationRecorded(dataDirectory);
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

test('every block of docs/changes.md runs without an error', () => {
  expect(blocks.length).toBeGreaterThan(5);
  expect(printed).toHaveLength(blocks.length);
});

test.each(blocks.map((block, index) => [block.line, block, index] as const))(
  'the block at line %i of docs/changes.md prints the output that the page shows',
  (_line, { printed: shown }, index) => {
    expect(withoutSpace(printed[index] ?? '')).toMatch(printedPattern(shown ?? ''));
  },
);

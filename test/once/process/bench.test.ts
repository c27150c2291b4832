// `npm run bench` works: every cell has its figures. How fast anything is does not matter here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, jest, test } from '@jest/globals';

jest.setTimeout(180_000);

const path = (file: string): string => fileURLToPath(new URL(`../../../bench/${file}`, import.meta.url));

/** Runs a benchmark to its end. */
async function bench(file: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [path(file), ...args]);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr };
}

interface Side {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

interface Report {
  readonly cells: readonly {
    readonly name: string;
    readonly ratio: number;
    readonly floor: Side;
    readonly entryway: Side;
  }[];
}

test('each cell is measured on both sides', async () => {
  const { code, stdout, stderr } = await bench(
    'run.mjs',
    '--entries',
    '500',
    '--rounds',
    '1',
    '--seconds',
    '0.2',
    '--warmup',
    '0.2',
    '--json',
  );
  // It starts a server of its own.
  if (process.env['TEST_PG_BIN'] === undefined) {
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('PostgreSQL (15 or newer)') });
    return;
  }
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  const { cells } = JSON.parse(stdout) as Report;
  expect(cells.map(({ name }) => name)).toEqual([
    ...['fetch', 'list', 'list+total', 'graphql-fetch', 'graphql-list', 'graphql-list+total'],
    ...['create', 'graphql-create'],
  ]);
  for (const { ratio, floor, entryway } of cells) {
    for (const figure of [ratio, floor.rate, floor.p50, floor.p99, entryway.rate, entryway.p50, entryway.p99]) {
      expect(figure).toBeGreaterThan(0);
    }
  }
});

test('what it does not understand is refused', async () => {
  expect(await bench('run.mjs', '--only', 'everything')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no cell "everything"'),
  });
  expect(await bench('run.mjs', '--seconds', '0')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--seconds'),
  });
});

// The benchmarks work: every cell has its figures. How fast anything is does not matter here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const path = (file: string): string => fileURLToPath(new URL(`../../../bench/${file}`, import.meta.url));

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a benchmark to its end, with further environment variables. */
async function bench(file: string, args: string[], environment: Record<string, string> = {}): Promise<Run> {
  const child = spawn(process.execPath, [path(file), ...args], { env: { ...process.env, ...environment } });
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

/** The times of a request: one for each channel, or of a page without and with its total. */
interface SizesReport {
  readonly flat: readonly { readonly times: readonly number[] }[];
  readonly sparse: readonly { readonly times: readonly number[] }[];
}

const quick = ['--rounds', '1', '--seconds', '0.2', '--warmup', '0.2', '--json'];

/** A benchmark starts a server of its own. Without an installation it says so, and there is nothing more to expect of it. */
function expectServer({ code, stderr }: Run): boolean {
  if (process.env['TEST_PG_BIN'] !== undefined) return true;
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('PostgreSQL (15 or newer)') });
  return false;
}

test('the benchmark measures each cell on both sides', async () => {
  const run = await bench('run.mjs', ['--entries', '500', ...quick]);
  if (!expectServer(run)) return;
  expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining('failed') });
  const { cells } = JSON.parse(run.stdout) as Report;
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

test('the benchmark ends with the name of the cell if a request fails', async () => {
  const run = await bench('run.mjs', ['--entries', '100', '--only', 'list', ...quick], {
    RATE_LIMIT_PUBLIC_TOKEN: '5',
  });
  if (!expectServer(run)) return;
  expect(run).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/list of entryway: a request failed: .*status (429|above 399)/),
  });
});

test('the benchmark times each request in channels of two sizes', async () => {
  const run = await bench('sizes.mjs', ['--sizes', '60,120', '--sparse', '200', '--rounds', '1', '--json']);
  if (!expectServer(run)) return;
  expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining('failed') });
  const { flat, sparse } = JSON.parse(run.stdout) as SizesReport;
  expect(flat.length).toBeGreaterThan(0);
  expect(sparse.length).toBeGreaterThan(0);
  for (const { times } of [...flat, ...sparse]) {
    expect(times).toEqual([expect.any(Number), expect.any(Number)]);
  }
});

test('the benchmark refuses unknown options', async () => {
  expect(await bench('run.mjs', ['--only', 'everything'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no cell "everything"'),
  });
  expect(await bench('run.mjs', ['--seconds', '0'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--seconds'),
  });
});

test.each([
  ['steps.mjs', ['--amount', '50', '--only', 'a fetch'], ['a fetch', 'GraphQL: a fetch']],
  [
    'latency.mjs',
    ['--seconds', '0.3'],
    ['a bulk of 500', 'an entry of 1 MiB', 'a GraphQL document of the highest cost'],
  ],
])('the benchmark %s prints a line for each request', async (file, args, requests) => {
  const run = await bench(file, ['--entries', '200', '--rounds', '1', ...args]);
  if (!expectServer(run)) return;
  expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining('bench:') });
  for (const request of requests) expect(run.stdout).toMatch(new RegExp(`^\\| ${request} +\\| `, 'm'));
});

test('the benchmark’s profiles have the time of both sides by function', async () => {
  const settings = ['--rounds', '1', '--seconds', '0.3', '--warmup', '0.2'];
  const run = await bench('run.mjs', ['--entries', '200', '--only', 'fetch', '--profile', ...settings]);
  if (!expectServer(run)) return;
  expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining('failed') });
  expect(run.stdout).toMatch(/^\| the service +\| +[\d,]+ \| +[1-9][\d,]* \|$/m);
  expect(run.stdout).toMatch(/^\| pg +\| +[1-9][\d,]* \| +[1-9][\d,]* \|$/m);
});

test('the benchmark measures the background work of idle and busy processes', async () => {
  const run = await bench('background.mjs', ['--processes', '2', '--seconds', '1', '--warm', '0']);
  if (!expectServer(run)) return;
  expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Error') });
  expect(run.stdout.match(/^\| 2 +\| +(at rest|50 callers each, .+?) +\|/gm)).toHaveLength(3);
});

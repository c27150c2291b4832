// Imports that meet with faults, as commands against a service whose faults are made to order: no row is lost, and none
// is doubled.
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { tokenPattern } from '../../../src/base/redaction.ts';
import { fakeToken, startFake, type FakeService, type Spoiling } from '../../support/fakeService.ts';
import { films, ndjson } from '../../support/films.ts';
import { entryway, start, type Run } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

const total = 2_300;
const rows = films(total);
let service: FakeService;
let directory: string;
let file: string;

beforeEach(async () => {
  service = await startFake();
  directory = scratchDirectory();
  file = join(directory, 'films.ndjson');
  writeFileSync(file, ndjson(rows));
});
afterEach(async () => {
  await service.stop().catch(() => undefined);
  for (const name of readdirSync(directory)) {
    expect([name, readFileSync(join(directory, name), 'utf8').match(tokenPattern)]).toEqual([name, null]);
  }
  removeScratch();
});

const words = (more: string[] = []): string[] => ['import', file, '--channel', 'films', ...more];

async function run(more: string[] = [], environment: Record<string, string> = {}): Promise<Run> {
  const known = { ENTRYWAY_URL: service.url, ENTRYWAY_TOKEN: fakeToken };
  const result = await entryway(words(more), { ...known, ...environment });
  expect(`${result.stdout}${result.stderr}`.match(tokenPattern)).toBeNull();
  return result;
}

/** What is stored is what is in the file: each row once. */
function expectAll(expected: readonly Record<string, unknown>[] = rows): void {
  const codes = [...service.entries.values()].map(({ code }) => String(code)).sort();
  expect(codes).toEqual(expected.map(({ code }) => String(code)).sort());
}

const stateFiles = (): string[] => readdirSync(directory).filter((name) => name.endsWith('.import'));

/** Spoils the requests that are numbered. */
const only =
  (spoilings: Record<number, Spoiling>) =>
  (count: number): Spoiling =>
    spoilings[count] ?? null;

describe('requests that fare badly are sent again', () => {
  test.each<[string, Record<number, Spoiling>]>([
    ['answers that are lost', { 0: 'lose', 2: 'lose', 5: 'lose' }],
    ['connections that are cut', { 0: 'cut', 1: 'cut', 2: 'cut' }],
    ['503 and 429', { 1: { status: 503, headers: { 'Retry-After': '1' } }, 2: { status: 429 }, 3: { status: 502 } }],
    ['an earlier one under way', { 1: { status: 409 }, 2: { status: 409 } }],
  ])('a failed request of an import is sent again: %s', async (_name, spoilings) => {
    service.spoil = only(spoilings);
    const { code, stdout, stderr } = await run(['--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { created: total, updated: 0, unchanged: 0, failed: 0 }]);
    expect(stderr).toMatch(/Waiting for the service: .*\n(.*\n)*The service answers again\./);
    expectAll();
    expect(stateFiles()).toEqual([]);
    expect(existsSync(`${file}.rejected.ndjson`)).toBe(false);
  });

  test('an import has several requests in flight, each of 500 rows at most', async () => {
    // The first answer waits until there are as many as there will be.
    service.spoil = async () => {
      for (let attempt = 0; attempt < 200 && service.mostInFlight() < 3; attempt += 1) await sleep(20);
      return null;
    };
    await run(['--in-flight', '3']);
    expect(service.mostInFlight()).toBe(3);
    expect(service.bulks.map(({ operations }) => operations)).toEqual([500, 500, 500, 500, 300]);
    expect(new Set(service.bulks.map(({ key }) => key)).size).toBe(5);
  });
});

describe('given up, and gone on with', () => {
  test('a second import of the same file is refused while the first one runs', async () => {
    let second: Run | undefined;
    service.spoil = async (count) => {
      if (count === 1) second = await run();
      return null;
    };
    expect((await run(['--in-flight', '1'])).code).toBe(0);
    expect([second?.code, second?.stderr]).toEqual([
      1,
      expect.stringContaining('Another process is importing the same files'),
    ]);
    expectAll();
    expect(readdirSync(directory)).toEqual(['films.ndjson', expect.stringMatching(/^films\.ndjson\..*\.imported$/)]);
  });

  test('an import that gives up on an unavailable service explains how to continue', async () => {
    service.spoil = (count) => (count >= 2 ? { status: 503 } : null);
    const first = await run(['--patience', '1', '--in-flight', '1', '--json']);
    expect([first.code, stateFiles().length]).toEqual([1, 1]);
    const { error } = JSON.parse(first.stdout) as { error: { message: string } };
    expect(error.message).toMatch(/answers 503\. 1,000 rows are done \(.*\): the same command continues from there\.$/);
    service.spoil = () => null;
    const second = await run(['--in-flight', '1', '--json']);
    expect(JSON.parse(second.stdout)).toEqual({ created: total, updated: 0, unchanged: 0, failed: 0 });
    expectAll();
    expect(stateFiles()).toEqual([]);
  });

  test('an import survives a service that stops listening and comes back', async () => {
    service.spoil = async (count) => {
      if (count !== 2) return null;
      await service.stop();
      setTimeout(() => void service.restart(), 700);
      return 'cut';
    };
    const { code } = await run(['--patience', '30']);
    expect(code).toBe(0);
    expectAll();
  });

  test.each(['SIGINT', 'SIGKILL'] as const)('an import %s while answers are lost or late', async (signal) => {
    writeFileSync(file, ndjson([...rows.slice(0, 300), { title: 'refused' }, 'no object', ...rows.slice(300)]));
    const environment = { ENTRYWAY_URL: service.url, ENTRYWAY_TOKEN: fakeToken };
    // The second batch is stored and its answer lost, the third is stored and answered; then it ends.
    const child = start(words(['--json']), environment);
    service.spoil = async (count) => {
      if (count === 1) return 'lose';
      if (count !== 3) return null;
      child.kill(signal);
      await sleep(300);
      return 'lose';
    };
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, stateFiles().length]).toEqual([signal === 'SIGINT' ? 1 : null, 1]);
    if (signal === 'SIGINT') expect(output).toMatch(/Interrupted\..*the same command continues/);
    service.spoil = () => null;
    const { stdout } = await run(['--json']);
    expect(JSON.parse(stdout)).toEqual({ created: total, updated: 0, unchanged: 0, failed: 2 });
    expectAll();
    const rejected = readFileSync(`${file}.rejected.ndjson`, 'utf8').trimEnd().split('\n');
    expect(rejected.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([301, 302]);
  });

  test('an import with --upsert that continues counts what existed before, not what the lost request created', async () => {
    for (const row of films(200)) {
      service.entries.set(row.title, { ...row, id: row.title, slug: row.title, updated_at: 'before' });
    }
    const changed = rows.map((row, at) => (at < 100 ? { ...row, year: 1 } : row));
    writeFileSync(file, ndjson(changed.map(({ slug: _slug, ...row }) => row)));
    service.spoil = (count) => (count === 0 || count > 2 ? 'lose' : null);
    const first = await run(['--upsert', 'code', '--patience', '1', '--json']);
    expect(first.code).toBe(1);
    service.spoil = () => null;
    const { stdout } = await run(['--upsert', 'code', '--json']);
    expect(JSON.parse(stdout)).toEqual({ created: total - 200, updated: 100, unchanged: 100, failed: 0 });
    expectAll();
  });

  test.each([
    ['a changed file', () => appendFileSync(file, '{"title":"new"}\n'), [], /another input.*--restart/],
    ['another field', () => undefined, ['--upsert', 'code'], /another --upsert field/],
    ['another token', () => undefined, [], /another token/],
    ['another choice of columns', () => undefined, ['--ignore', 'year'], /another --rename, --ignore or --keep/],
  ])('an import that was refused continues with %s', async (name, change, more, message) => {
    service.spoil = (count) => (count >= 1 ? { status: 503 } : null);
    await run(['--patience', '0']);
    change();
    service.spoil = () => null;
    const token = name === 'another token' ? { ENTRYWAY_TOKEN: `${fakeToken}x` } : {};
    const { code, stderr } = await run(more, token);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    const { stdout } = await run(['--restart', '--upsert', 'code', '--json']);
    const { created, unchanged } = JSON.parse(stdout) as { created: number; unchanged: number };
    expect(created + unchanged).toBeGreaterThanOrEqual(total);
    expect(stateFiles()).toEqual([]);
  });
});

test('--upsert looks up all values, at most 50 per request', async () => {
  const { stdout } = await run(['--upsert', 'code', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ created: total, failed: 0 });
  expect(Math.max(...service.lookUps)).toBe(50);
  expect(service.lookUps.reduce((sum, count) => sum + count)).toBe(total);
});

test('a reused idempotency key with another body is refused, and not sent in parts', async () => {
  service.spoil = (count) => (count === 0 ? { status: 422 } : null);
  const { code, stderr } = await run(['--in-flight', '1']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/The service refuses the entries/)]);
  expect(service.bulks.length).toBe(1);
});

test('a request that is refused as a whole is sent in halves until the failing row is found', async () => {
  writeFileSync(file, ndjson(rows.slice(0, 8)));
  service.spoil = (count) => ([0, 1, 3].includes(count) ? { status: 413 } : null);
  const { code, stdout } = await run(['--json']);
  expect([code, JSON.parse(stdout)]).toEqual([0, { created: 8, updated: 0, unchanged: 0, failed: 0 }]);
  expect(service.bulks.map(({ operations }) => operations)).toEqual(
    [8, 4, 2, 2, 1, 1, 4].slice(0, service.bulks.length),
  );
  expectAll(rows.slice(0, 8));
});

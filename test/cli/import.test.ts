// `entryway import` against the real service: rows that are no good, interruptions, and a service that dies meanwhile.
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildSite } from '../support/build.ts';
import { films, ndjson, type Film } from '../support/films.ts';
import { entryway, serve, start, type Run, type ServiceProcess } from '../support/process.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { workplace, type Workplace } from './environment.ts';

let place: Workplace;
let service: ServiceProcess;
let caller: Record<string, string>;
let file: string;
let channel = 0;

beforeAll(async () => {
  place = await workplace();
  const { master } = await place.inside(({ prisma }) => buildSite(prisma, { id: 'blog' }));
  service = await serve({ ...place.environment, LOG_LEVEL: 'warn' });
  caller = { ENTRYWAY_URL: service.url, ENTRYWAY_TOKEN: master };
});
afterAll(async () => {
  await service.stop();
  await place.remove();
});
beforeEach(() => {
  channel += 1;
  file = join(scratchDirectory(), 'films.ndjson');
});

const words = (more: string[] = []): string[] => ['import', file, '--channel', `films-${channel}`, '--json', ...more];
const run = (...more: string[]): Promise<Run> => entryway(words(more), caller);

interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

async function counts(...more: string[]): Promise<Counts & { code: number | null }> {
  const { code, stdout, stderr } = await run(...more);
  if (stdout.includes('"error"')) throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as Counts) };
}

/** All entries of the channel. */
async function entries(): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let page = 1; ; page += 1) {
    const address = `${service.url}/channels/films-${channel}/entries?per_page=250&sort=created_at&page=${page}`;
    const answer = await fetch(address, { headers: { Authorization: `Bearer ${caller['ENTRYWAY_TOKEN'] ?? ''}` } });
    const rows = (await answer.json()) as Record<string, unknown>[];
    found.push(...rows);
    if (rows.length < 250) return found;
  }
}

/** What is stored is what was given: each row once, as it was. */
async function expectStored(rows: readonly Film[]): Promise<void> {
  const members = Object.keys(films(1)[0] ?? {});
  const stored = new Map((await entries()).map((entry) => [entry['slug'], entry]));
  expect(stored.size).toBe(rows.length);
  for (const row of rows) {
    const entry = stored.get(row['slug']) ?? {};
    expect(Object.fromEntries(members.map((name) => [name, entry[name] ?? null]))).toEqual(row);
  }
}

interface Rejected {
  readonly line: number;
  readonly reason: string;
  readonly errors: readonly { readonly field: string }[];
  readonly row: unknown;
}

function rejected(suffix = '.rejected.ndjson'): Rejected[] {
  const lines = readFileSync(`${file}${suffix}`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Rejected);
}

describe('rows that are no good', () => {
  const good = films(300);
  const bad: [string | Buffer, RegExp, string?][] = [
    ['{"title":"cut', /is no JSON/],
    ['["title"]', /is no object/],
    [Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xff]), Buffer.from('"}')]), /is no UTF-8/],
    ['{"slug":"x1","year":"nineteen"}', /./, 'year'],
    ['{"slug":"x2","director":"nobody"}', /./, 'director'],
    ['{"slug":"x3","released":"1999-02-30"}', /./, 'released'],
    ['{"title":"a","slug":"Not a Slug"}', /./, 'slug'],
    ['{"title":"a\\u0000"}', /NUL/],
    ['{"title":"a","year":12345678901234567890}', /can't be kept as it is: 12345678901234567890/],
    [`{"title":"${'x'.repeat(1_100_000)}"}`, /1 MiB/],
  ];

  /** The good rows, with a bad one behind every 30th. */
  function mixed(): { bytes: Buffer; lines: number[] } {
    const parts: Buffer[] = [];
    const lines: number[] = [];
    for (const [at, row] of good.entries()) {
      parts.push(Buffer.from(`${JSON.stringify(row)}\n`));
      if (at % 30 !== 29) continue;
      parts.push(Buffer.from(bad[lines.length]?.[0] ?? ''), Buffer.from('\n'));
      lines.push(parts.length - lines.length - 1);
    }
    return { bytes: Buffer.concat(parts), lines };
  }

  test('are reported with their lines, and the others are stored', async () => {
    writeFileSync(file, ndjson(good.slice(0, 60)));
    const dry = await counts('--create-channel', '--dry-run');
    expect(dry).toEqual({ code: 0, created: 60, updated: 0, unchanged: 0, failed: 0 });
    expect(await counts('--create-channel')).toMatchObject({ created: 60, failed: 0 });

    const { bytes, lines } = mixed();
    writeFileSync(file, bytes);
    const expected = bad.map(([, reason, field], at) => ({
      line: lines[at],
      reason: expect.stringMatching(reason),
      errors: field === undefined ? [] : [expect.objectContaining({ field })],
    }));
    expect(await counts('--upsert', 'slug')).toMatchObject({ code: 1, failed: bad.length });
    expect(rejected().map(({ row: _row, ...rest }) => rest)).toEqual(expected);
    await expectStored(good);
    // A dry run finds the same, and what it would do with the others.
    const again = await counts('--upsert', 'slug', '--dry-run');
    expect(again).toEqual({ code: 1, created: 0, updated: good.length, unchanged: 0, failed: bad.length });
    const found = rejected('.dry-run.rejected.ndjson').map(({ row: _row, ...rest }) => rest);
    expect(found).toEqual(expected);
  });
});

describe('interrupted', () => {
  const rows = films(1_500);
  const options = ['--create-channel', '--in-flight', '1'];

  test('by its own death and by that of the service: nothing is lost, nothing doubled', async () => {
    writeFileSync(file, ndjson(rows));
    const first = started();
    await storedAtLeast(1);
    first.child.kill('SIGKILL');
    await first.end;

    const second = started();
    let output = '';
    second.child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await storedAtLeast(501);
    const died = once(service.child, 'exit');
    service.child.kill('SIGKILL');
    await died;
    const { port } = new URL(service.url);
    service = await serve({ ...place.environment, LOG_LEVEL: 'warn', PORT: port });
    expect(await second.end).toBe(0);

    expect(JSON.parse(output)).toEqual({ created: 1_500, updated: 0, unchanged: 0, failed: 0 });
    await expectStored(rows);
    expect(existsSync(`${file}.rejected.ndjson`)).toBe(false);
  });

  function started(): { child: ReturnType<typeof start>; end: Promise<number | null> } {
    const child = start(words(options), caller);
    return { child, end: once(child, 'close').then(([code]) => code as number | null) };
  }

  async function stored(): Promise<number> {
    const headers = { Authorization: `Bearer ${caller['ENTRYWAY_TOKEN'] ?? ''}` };
    const answer = await fetch(`${service.url}/channels/films-${channel}/entries/count`, { headers });
    return answer.status === 200 ? ((await answer.json()) as { count: number }).count : 0;
  }

  async function storedAtLeast(count: number): Promise<void> {
    while ((await stored()) < count) await sleep(50);
  }
});

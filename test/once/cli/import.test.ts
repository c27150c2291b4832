// `entryway import` against the real service: rows that are no good, interruptions, and a service that dies meanwhile.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildSite } from '../../support/build.ts';
import { films, ndjson, type Film } from '../../support/films.ts';
import { entryway, serve, start, type Run, type ServiceProcess } from '../../support/process.ts';
import { scratchDirectory } from '../../support/scratch.ts';
import { workplace, type Workplace } from '../../support/workplace.ts';

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

/** Rows that are no good, `#` for what tells them apart; why, and the field that is to blame. */
const bad: [string | Buffer, RegExp, string?][] = [
  ['{"title":"cut', /is not JSON/],
  ['["title"]', /is not an object/],
  [Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xff]), Buffer.from('"}')]), /is not UTF-8/],
  ['{"slug":"x#","year":"nineteen"}', /./, 'year'],
  ['{"slug":"x#","director":"nobody"}', /./, 'director'],
  ['{"slug":"x#","released":"1999-02-30"}', /./, 'released'],
  ['{"title":"a","slug":"Not a Slug #"}', /./, 'slug'],
  ['{"title":"a\\u0000"}', /NUL/],
  ['{"title":"a","year":12345678901234567890}', /holds 12345678901234567890/],
  [`{"title":"${'x'.repeat(1_100_000)}"}`, /1 MiB/],
];

/** Good rows with a bad one behind every tenth: of each kind as many as a hundredth of the good ones. */
function mixed(good: readonly Film[]): { bytes: Buffer; expected: unknown[] } {
  const parts: Buffer[] = [];
  const expected: unknown[] = [];
  for (const [at, row] of good.entries()) {
    parts.push(Buffer.from(`${JSON.stringify(row)}\n`));
    const [text, reason, field] = bad[expected.length % bad.length] ?? [];
    if (at % 10 !== 9 || text === undefined) continue;
    const bytes = typeof text === 'string' ? Buffer.from(text.replace('#', String(at))) : text;
    parts.push(Buffer.concat([bytes, Buffer.from('\n')]));
    expected.push({
      line: parts.length,
      reason: expect.stringMatching(reason ?? ''),
      errors: field === undefined ? [] : [expect.objectContaining({ field })],
    });
  }
  return { bytes: Buffer.concat(parts), expected };
}

const reasonsIn = (rejections: readonly Rejected[]): unknown[] => rejections.map(({ row: _row, ...rest }) => rest);

/** Makes the channel by the first rows. */
async function begin(first: readonly Film[]): Promise<void> {
  writeFileSync(file, ndjson(first));
  expect(await counts('--create-channel')).toMatchObject({ created: first.length, failed: 0 });
}

describe('rows that are no good', () => {
  const good = films(1_000);

  test('an import reports invalid rows with their lines, and stores the others', async () => {
    writeFileSync(file, ndjson(good.slice(0, 60)));
    const dry = await counts('--create-channel', '--dry-run');
    expect(dry).toEqual({ code: 0, created: 60, updated: 0, unchanged: 0, failed: 0 });
    await begin(good.slice(0, 60));

    const { bytes, expected } = mixed(good);
    writeFileSync(file, bytes);
    expect(await counts('--upsert', 'slug')).toMatchObject({ code: 1, failed: 100 });
    expect(reasonsIn(rejected())).toEqual(expected);
    await expectStored(good);
    // A dry run finds the same, and what it would do with the others.
    const again = await counts('--upsert', 'slug', '--dry-run');
    expect(again).toEqual({ code: 1, created: 0, updated: good.length, unchanged: 0, failed: 100 });
    expect(reasonsIn(rejected('.dry-run.rejected.ndjson'))).toEqual(expected);
  });
});

describe('interrupted', () => {
  const rows = films(1_560);

  test('an import that is killed, and whose service is killed, loses and duplicates no row', async () => {
    await begin(rows.slice(0, 60));
    const { bytes, expected } = mixed(rows.slice(60));
    writeFileSync(file, bytes);
    const first = started();
    await storedAtLeast(61);
    first.child.kill('SIGKILL');
    await first.end;

    const second = started();
    let output = '';
    second.child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await storedAtLeast(561);
    const died = once(service.child, 'exit');
    service.child.kill('SIGKILL');
    await died;
    const { port } = new URL(service.url);
    service = await serve({ ...place.environment, LOG_LEVEL: 'warn', PORT: port });
    expect(await second.end).toBe(1);

    expect(JSON.parse(output)).toEqual({ created: 1_500, updated: 0, unchanged: 0, failed: 150 });
    await expectStored(rows);
    expect(reasonsIn(rejected())).toEqual(expected);
  });

  function started(): { child: ReturnType<typeof start>; end: Promise<number | null> } {
    const child = start(words(['--in-flight', '1']), caller);
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

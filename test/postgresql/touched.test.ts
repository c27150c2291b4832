// The memory that the process allocates for a request, and the promises that it makes, whatever the machine
// (bench/touched.mjs). The figures only fall: a change that makes a request cheaper lowers its ceiling here.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

/** Of a request on average. Some are above the figures of docs/performance.md: few requests precede those that are counted. */
interface Touched {
  readonly bytes: number;
  readonly promises: number;
}

// A total is counted anew once a second, and new entries are stored together: these ceilings are of requests that do so each time.
const ceilings: Record<string, Touched> = {
  fetch: { bytes: 60_000, promises: 19 },
  list: { bytes: 235_000, promises: 24 },
  'list+total': { bytes: 240_000, promises: 63 },
  'graphql-fetch': { bytes: 100_000, promises: 82 },
  'graphql-list': { bytes: 320_000, promises: 86 },
  'graphql-list+total': { bytes: 330_000, promises: 130 },
  create: { bytes: 155_000, promises: 85 },
  'graphql-create': { bytes: 185_000, promises: 150 },
};

const root = join(import.meta.dirname, '../..');
const { stdout } = await promisify(execFile)(
  process.execPath,
  [join(root, 'bench/touched.mjs'), '--json', '--warm', '400', '--amount', '100'],
  { cwd: root },
);
const figures = JSON.parse(stdout) as Record<string, { readonly entryway: Touched }>;

test('each cell of bench/touched.mjs has a ceiling', () => {
  expect(Object.keys(figures)).toEqual(Object.keys(ceilings));
});

test.each(Object.entries(ceilings))(
  'a request of the cell %s stays within its ceiling of bytes and promises',
  (name, ceiling) => {
    const { bytes = NaN, promises = NaN } = figures[name]?.entryway ?? {};
    expect(bytes).toBeLessThanOrEqual(ceiling.bytes);
    expect(promises).toBeLessThanOrEqual(ceiling.promises);
  },
);

// What `-o` writes, and that it replaces nothing but regular files; and a standard output that fails.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fakeToken, startFake, type FakeService } from '../../support/fakeService.ts';
import { entryway, main, start, type Run } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

let service: FakeService;
let environment: Record<string, string>;
let directory: string;
let rows: string;
/** The embedded database of `site export` and `backup`. */
let dataDir: string;

beforeAll(async () => {
  service = await startFake([{ name: 'title', type: 'string' }]);
  for (const slug of ['dune', 'alien']) {
    service.entries.set(slug, { id: slug, slug, updated_at: '2026-01-01T00:00:00.000Z', title: `Title of ${slug}` });
  }
  dataDir = scratchDirectory();
  environment = { ENTRYWAY_URL: service.url, ENTRYWAY_TOKEN: fakeToken, DATA_DIR: dataDir };
  expect((await entryway(['site', 'create', 'blog'], environment)).code).toBe(0);
  rows = (await entryway(['export', '--channel', 'films'], environment)).stdout;
});
afterAll(async () => {
  await service.stop();
  removeScratch();
});
beforeEach(() => {
  directory = scratchDirectory();
});

const exportTo = (path: string, ...more: string[]): Promise<Run> =>
  entryway(['export', '--channel', 'films', '-o', path, ...more], environment);

/** Each command that takes -o, and whether what it wrote is whole. */
const writers: [string, string[], (bytes: Buffer) => boolean][] = [
  ['export', ['export', '--channel', 'films'], (bytes) => bytes.toString() === rows],
  ['site export', ['site', 'export', 'blog'], (bytes) => gunzipSync(bytes).toString().includes('{"end":"file"')],
  ['backup', ['backup'], (bytes) => gunzipSync(bytes).includes('SHA256SUMS')],
];

describe.each(writers)('%s', (_name, words, isWhole) => {
  const write = (path: string): Promise<Run> => entryway([...words, '-o', path], environment);

  test('-o writes into a pipe that is being read, and the pipe stays one', async () => {
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('cat', [pipe]);
    const chunks: Buffer[] = [];
    reader.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = once(reader, 'close');
    expect((await write(pipe)).code).toBe(0);
    await ended;
    expect(isWhole(Buffer.concat(chunks))).toBe(true);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(directory)).toEqual(['pipe']);
  });

  test('-o on a full device fails in one line with exit code 1, and the device stays one', async () => {
    const { code, stderr } = await write('/dev/full');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^entryway: Can't write \/dev\/full: ENOSPC[^\n]*\n$/)]);
    expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true);
  });

  test('-o follows a symbolic link, which stays, to an existing or a new file', async () => {
    mkdirSync(join(directory, 'elsewhere'));
    for (const name of ['old', 'new']) {
      const target = join(directory, 'elsewhere', name);
      if (name === 'old') writeFileSync(target, 'old');
      const link = join(directory, name);
      symlinkSync(join('elsewhere', name), link);
      expect((await write(link)).code).toBe(0);
      expect(readlinkSync(link)).toBe(join('elsewhere', name));
      expect(isWhole(readFileSync(target))).toBe(true);
    }
    expect(readdirSync(join(directory, 'elsewhere')).sort()).toEqual(['new', 'old']);
  });

  test('-o refuses a directory with exit code 2', async () => {
    const { code, stderr } = await write(directory);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a directory: give the name of a file')]);
  });
});

test('standard output by its name gets the rows and nothing else: in a pipe, and in a file where it stands', async () => {
  expect((await exportTo('/dev/stdout')).stdout).toBe(rows);
  const file = join(directory, 'all.txt');
  const descriptor = openSync(file, 'w');
  for (const path of ['/dev/stdout', '/dev/fd/1']) {
    const child = spawn(process.execPath, [main, 'export', '--channel', 'films', '-o', path], {
      stdio: ['ignore', descriptor, 'inherit'],
      env: { ...process.env, ...environment },
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
  }
  expect(readFileSync(file, 'utf8')).toBe(rows + rows);
  const { stdout } = await entryway(['site', 'export', 'blog', '-o', '/dev/stdout'], environment);
  expect(stdout).not.toContain('Exported');
});

describe('a file that is there', () => {
  test.each([0o600, 0o640, 0o664, 0o400])('-o keeps the mode %o of an existing file', async (mode) => {
    const file = join(directory, 'films.ndjson');
    writeFileSync(file, 'old');
    chmodSync(file, mode);
    expect((await exportTo(file)).code).toBe(0);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([rows, mode]);
  });

  test('-o keeps the owner and the group of an existing file where the caller may', async () => {
    if (process.getuid?.() !== 0) return;
    const file = join(directory, 'films.ndjson');
    writeFileSync(file, 'old');
    chownSync(file, 1234, 2345);
    expect((await exportTo(file)).code).toBe(0);
    const { uid, gid } = statSync(file);
    expect([uid, gid, readFileSync(file, 'utf8')]).toEqual([1234, 2345, rows]);
  });

  test('-o makes the file of a site or a backup readable by its owner alone', async () => {
    for (const words of [['site', 'export', 'blog'], ['backup']]) {
      const file = join(directory, words[0] ?? '');
      writeFileSync(file, 'old', { mode: 0o666 });
      chmodSync(file, 0o666);
      expect((await entryway([...words, '-o', file], environment)).code).toBe(0);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  test('-o replaces a file as a whole: a hard link keeps the old rows, and a failure leaves it unchanged', async () => {
    const [file, other] = [join(directory, 'films.ndjson'), join(directory, 'other')];
    writeFileSync(file, 'old');
    linkSync(file, other);
    expect((await exportTo(file)).code).toBe(0);
    expect([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')]).toEqual([rows, 'old']);
    const failed = await exportTo(file, '--token', 'ew_master_wrong');
    expect([failed.code, readFileSync(file, 'utf8')]).toEqual([1, rows]);
    expect(readdirSync(directory).sort()).toEqual(['films.ndjson', 'other']);
  });
});

test('-o does not follow another user’s link in a world-writable directory', async () => {
  if (process.getuid?.() !== 0) return;
  const [open, target] = [join(directory, 'open'), join(directory, 'target')];
  mkdirSync(open);
  chmodSync(open, 0o1777);
  chmodSync(directory, 0o755);
  writeFileSync(target, 'old');
  const link = join(open, 'films.ndjson');
  symlinkSync(target, link);
  execFileSync('chown', ['-h', '1234', link]);
  const { code, stderr } = await exportTo(link);
  expect([code, stderr]).toEqual([1, expect.stringContaining('is a symbolic link that another user has made')]);
  expect([readFileSync(target, 'utf8'), readdirSync(open)]).toEqual(['old', ['films.ndjson']]);
});

test('-o writes into the standard output of another process, and does not take it for its own', async () => {
  const file = join(directory, 'other.txt');
  const other = spawn('cat', { stdio: ['pipe', openSync(file, 'w'), 'ignore'] });
  const ended = once(other, 'close');
  const { code, stdout } = await exportTo(`/proc/${other.pid}/fd/1`);
  other.stdin?.end();
  await ended;
  expect([code, readFileSync(file, 'utf8')]).toEqual([0, rows]);
  expect(stdout).toContain('2 entries in /proc/');
});

test('-o refuses circular symbolic links', async () => {
  const [one, two] = [join(directory, 'one'), join(directory, 'two')];
  symlinkSync(one, two);
  symlinkSync(two, one);
  const { code, stderr } = await exportTo(one);
  expect([code, stderr]).toEqual([1, expect.stringContaining('leads in a circle of symbolic links')]);
});

test.each(['films.csv.gz', 'films.txt', 'films.xlsx'])(
  '-o %s is refused with the extensions that there are',
  async (name) => {
    const file = join(directory, name);
    const { code, stderr } = await exportTo(file);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/\.json, \.ndjson, \.jsonl, \.csv or \.tsv/)]);
    expect(existsSync(file)).toBe(false);
    if (!name.endsWith('.gz')) expect((await exportTo(file, '--format', 'ndjson')).code).toBe(0);
  },
);

test.each([
  ['--help'],
  ['--version', '--json'],
  ['types', '--help'],
  ['export', '--channel', 'films'],
  ['export', '--channel', 'none', '--json'],
  ['site', 'list'],
])('a full standard output is reported in one line, with exit code 1: %j', async (...words) => {
  const child = spawn(process.execPath, [main, ...words], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    env: { ...process.env, ...environment },
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^(entryway: There is no channel[^\n]*\n)?entryway: Can't write to standard output: [^\n]*\n$/,
    ),
  ]);
});

test('a reader that closes standard output early ends an export without a failure', async () => {
  const child = start(['export', '--channel', 'films'], environment);
  child.stdout.destroy();
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(0);
});

// What a synced file is held against: the lists that its token gets.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { TestApp } from './app.ts';
import type { Caller } from './as.ts';
import { expectEntry } from './expect.ts';
import { entryway, type Run } from './process.ts';
import { buildScene, type Scene } from './scene.ts';
import { scratchDirectory } from './scratch.ts';

type Listed = Record<string, unknown> & { id: string };

/** The entries of a synced file, by id; none where there is no file. Each line has to be whole. */
export function readSynced(file: string): Map<string, unknown> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error('The last line of the file is not whole.');
  const entries = lines.map((line) => JSON.parse(line) as Listed);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  if (byId.size !== entries.length) throw new Error('The file has an entry twice.');
  return byId;
}

/** The entries of some channels as a caller lists them, by id; none of a channel that does not exist to the caller. */
export async function readListed(caller: Caller, channels: readonly string[]): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const channel of channels) {
    for (let page = 1, full = true; full; page += 1) {
      const { status, body } = await caller.rest<Listed[]>(
        'GET',
        `/channels/${channel}/entries?per_page=250&page=${page}`,
      );
      const entries = status === 404 ? [] : body;
      for (const entry of entries) found.set(entry.id, entry);
      full = entries.length === 250;
    }
  }
  return found;
}

/** A site, and a file that is kept of it. */
export interface Kept extends Scene {
  readonly directory: string;
  readonly file: string;
  readonly environment: Record<string, string>;
  readonly sync: (...words: string[]) => Promise<Run>;
}

/** A site with two articles, and a file to keep. @param url where sync asks */
export async function buildKept(app: TestApp, url = app.url): Promise<Kept> {
  const scene = await buildScene(app, { publishable: true });
  for (const title of ['One', 'Two']) await createArticle(scene.master, { title, _status: 'published' });
  const directory = scratchDirectory();
  const file = join(directory, 'entries.ndjson');
  const environment = { ENTRYWAY_URL: url, ENTRYWAY_TOKEN: scene.site.master };
  return {
    ...scene,
    directory,
    file,
    environment,
    sync: (...words) => entryway(['sync', '-o', file, ...words], environment),
  };
}

export async function createArticle(caller: Caller, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await caller.rest('POST', '/channels/articles/entries', { body }), 201).id;
}

/** Runs to the end, and expects the file to be what a list gives. @returns what the command said besides */
export async function expectSynced(
  { sync, file, master }: Kept,
  channels = ['articles'],
  words: string[] = [],
): Promise<string> {
  const { code, stdout, stderr } = await sync('--json', ...words);
  expect([stderr.replace(/^(The changes since|Waiting).*\n/gm, ''), code]).toEqual(['', 0]);
  const listed = await readListed(master, channels);
  expect(readSynced(file)).toEqual(listed);
  const printed = JSON.parse(stdout) as { entries: number; changes: number };
  expect(printed).toEqual({ entries: listed.size, changes: printed.changes, file });
  return stderr;
}

// What a synced file is held against: the lists that its token gets.
import { existsSync, readFileSync } from 'node:fs';
import type { Caller } from './as.ts';

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

// Writers that write at the same time, in all the ways that there are, and what they were told that they had stored.
import { setTimeout as sleep } from 'node:timers/promises';
import { statementsWithin } from '../../../src/database/statements.ts';
import { serviceActor } from '../../../src/rules/author.ts';
import { entriesOn } from '../../../src/entries/model.ts';
import type { PrismaClient } from '../../../src/generated/prisma/client.ts';
import type { Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import type { Random } from '../../support/random.ts';

const path = '/channels/articles/entries';

/** What came of all writes: changes as `entry.updated <id> <version>`. */
export class Written {
  readonly changes: string[] = [];
  /** The entries that no reader may hear of: their transactions were aborted. */
  readonly aborted = new Set<string>();
  /** The entries that may be there, with the versions that they had last. */
  readonly live = new Map<string, number>();

  note(type: 'created' | 'updated' | 'deleted', id: string, version: number): void {
    this.changes.push(`entry.${type} ${id} ${version}`);
    if (type === 'deleted') this.live.delete(id);
    else if (version > (this.live.get(id) ?? 0)) this.live.set(id, version);
  }
}

export interface Writer {
  readonly master: () => Caller;
  readonly db: PrismaClient;
  readonly siteId: string;
  readonly random: Random;
  readonly written: Written;
}

interface Stored {
  readonly id: string;
  readonly version: number;
}

let count = 0;
const unlike = (): string => `title ${(count += 1)}`;

/** Creates an entry. @param key an Idempotency-Key: the write is then part of a longer transaction, and is sent twice */
async function create({ master, written }: Writer, key?: string): Promise<void> {
  const sent = { body: { title: unlike() }, headers: key === undefined ? {} : { 'Idempotency-Key': key } };
  const answer = await master().rest<Stored>('POST', path, sent);
  if (key !== undefined) await master().rest('POST', path, sent);
  if (answer.status === 201) written.note('created', answer.body.id, 1);
}

/** Updates an entry that others may be updating. */
async function update({ master, written, random }: Writer): Promise<void> {
  if (written.live.size === 0) return;
  const id = random.pick([...written.live.keys()].slice(0, 3));
  const answer = await master().rest<{ version: number }>('PATCH', `${path}/${id}`, { body: { title: unlike() } });
  if (answer.status !== 200) return;
  const version = Number(/\d+/.exec(answer.headers.get('etag') ?? '')?.[0]);
  if (!Number.isSafeInteger(version)) throw new Error(`An update answered without a version: ${answer.text}`);
  written.note('updated', id, version);
}

async function remove({ master, written, random }: Writer): Promise<void> {
  if (written.live.size < 8) return;
  const id = random.pick([...written.live.keys()]);
  // Its version is the one that it is deleted with, or nothing is deleted.
  const version = written.live.get(id) ?? 0;
  const answer = await master().rest('DELETE', `${path}/${id}`, { headers: { 'If-Match': `"${version}"` } });
  if (answer.status === 204) written.note('deleted', id, version);
}

/** Several writes in a transaction; every other time one that is undone as a whole. */
async function bulk({ master, written, random }: Writer): Promise<void> {
  const creates = Array.from({ length: 1 + random.upTo(20) }, () => ({ op: 'create', data: { title: unlike() } }));
  const fails = random.chance(0.3);
  const operations = fails ? [...creates, { op: 'delete', id: 'nowhere' }] : creates;
  const answer = await master().rest<{ results: { status: number; entry?: Stored }[] }>('POST', `${path}/bulk`, {
    body: { operations, atomic: fails || random.chance(0.5) },
  });
  if (answer.status !== 200) return;
  for (const { status, entry } of answer.body.results) {
    if (status === 201 && entry !== undefined) written.note('created', entry.id, 1);
  }
}

/** A change of the channel: the writes under way are decided on once more. */
async function rename({ master, written }: Writer): Promise<void> {
  const answer = await master().rest('PATCH', '/channels/articles', { body: { name: unlike() } });
  if (answer.status === 200) written.changes.push('channel.updated null null');
}

class Abort extends Error {}

/** A transaction that stays open for a while, by a process whose clock is an hour off, and may be aborted. */
async function transact({ db, siteId, written, random }: Writer, aborts = random.chance(0.4)): Promise<void> {
  const [size, skew] = [1 + random.upTo(4), (random.upTo(2) - 1) * 3_600_000];
  const now = new Date(Date.now() + skew);
  const ids: string[] = [];
  const changes: ['created' | 'deleted', string][] = [];
  try {
    await db.$transaction(
      async (transaction) => {
        const channel = await transaction.channel.findFirstOrThrow({ where: { siteId, id: 'articles' } });
        for (let at = 0; at < size; at += 1) {
          const row = await buildEntry(transaction as PrismaClient, channel, { createdAt: now });
          ids.push(row.id);
          changes.push(['created', row.id]);
          await sleep(random.upTo(60));
          if (!random.chance(0.2)) continue;
          if (await entriesOn(statementsWithin(transaction)).deleteIf(channel, row, { actor: serviceActor, now }))
            changes.push(['deleted', row.id]);
        }
        if (aborts) throw new Abort();
      },
      { timeout: 20_000, maxWait: 20_000 },
    );
    for (const [type, id] of changes) written.note(type, id, 1);
  } catch (error) {
    // A channel that was renamed meanwhile refuses the write: that is an abort, too.
    if (!(error instanceof Abort) && !String(error).includes('was not stored')) throw error;
    for (const id of ids) written.aborted.add(id);
  }
}

/** Writes so many times, in random ways, after a transaction that is aborted: each run has one. */
export async function writeRandomly(writer: Writer, times: number): Promise<void> {
  const { random } = writer;
  const ways = [
    ...[create, create, update, update, update, update, remove, bulk],
    ...[(each: Writer) => transact(each), (each: Writer) => transact(each)],
    (each: Writer) => create(each, `key-${unlike()}`),
  ];
  await transact(writer, true);
  for (let at = 0; at < times; at += 1) {
    await (random.chance(0.03) ? rename : random.pick(ways))(writer);
    await sleep(random.upTo(5));
  }
}

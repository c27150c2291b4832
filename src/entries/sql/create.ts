// Stores new entries: simultaneous ones of one caller in one channel by one call.
import { Batcher } from '../../base/batcher.ts';
import { isBlocked, isUnavailable, leavesConnection } from '../../database/databaseErrors.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { Authorship } from '../../rules/author.ts';
import type { EntryDraft, Written } from '../draft.ts';
import type { Creates, ModelContext, PendingCreate } from '../modelContext.ts';
import { draftJson, storeDraft, storeDrafts } from './write.ts';

/** Limits of a batch: entries, characters, and milliseconds of waiting for an earlier one, which may be blocked by a lock. */
const limits = { maxItems: 32, maxSize: 262_144, maxWait: 20 };

/** Opens the creates of a process. */
export function openCreates(): Creates['batcher'] {
  return new Batcher({ run: storeTogether, sizeOf: (create) => documentOf(create).length, ...limits });
}

/** Stores a new entry, together with others that were decided on the same version of the channel. */
export async function insertDraft(
  this: ModelContext,
  channel: Channel,
  draft: EntryDraft,
  { actor, now }: Authorship,
): Promise<Written> {
  const authored = { draft, actor, now };
  if (this.creates === null) return storeDraft(this.statements, channel, authored);
  const { batcher, caller, statements } = this.creates;
  const key = `${caller} ${channel.siteId} ${channel.uid} ${channel.version}`;
  return batcher.add(key, { statements, channel, authored, document: null });
}

function documentOf(create: PendingCreate): string {
  return (create.document ??= draftJson(create.authored));
}

/**
 * One entry that cannot be stored must neither fail nor delay the others: if none was stored, because of a value that two of
 * them share, that the database refuses, or that somebody else has locked, each is stored by itself. So are entries of which
 * two have the same id, because the call would take them for one.
 */
async function storeTogether(creates: readonly PendingCreate[]): Promise<readonly (Written | Promise<Written>)[]> {
  const [first] = creates;
  const drafts = creates.map(({ authored }) => authored.draft);
  if (first !== undefined && creates.length > 1 && new Set(drafts.map(({ id }) => id)).size === creates.length) {
    const accounts = creates.map(({ statements }) => statements.account);
    const write = <Row>(statement: Prisma.Sql): Promise<Row[]> => first.statements.writeTogether(accounts, statement);
    const documents = creates.map(documentOf);
    const together = { drafts, documents, create: Prisma.sql`entryway_join_creates` };
    const outcomes = await storeDrafts({ write }, first.channel, together).catch(nullIfEachMayTry);
    if (outcomes?.some((written) => written !== 'duplicate')) return outcomes;
  }
  return creates.map(({ statements, channel, authored }) => storeDraft(statements, channel, authored));
}

/**
 * @throws the error, unless nothing is stored and single creates may succeed: the database refused the statement, or a lock was
 *   held by somebody else. A database that cannot store anything is not asked again, which would only take longer.
 */
function nullIfEachMayTry(error: unknown): null {
  if (isBlocked(error) || (leavesConnection(error) && !isUnavailable(error))) return null;
  throw error;
}

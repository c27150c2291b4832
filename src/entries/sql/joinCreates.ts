// Batches concurrent creates of one caller in one channel into one call.
import { isBlocked, isUnavailable, leavesConnection } from '../../database/databaseErrors.ts';
import type { EntryStatements } from '../../database/statements.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { CallerShares } from '../../admission/shares.ts';
import type { RequestAccount } from '../../telemetry/account.ts';
import type { TimedDraft, Written } from '../draft.ts';
import { draftJson, storeDraft, storeDrafts } from './write.ts';

/** The statements of one request, which can also write for other requests. */
export interface JoiningStatements extends EntryStatements {
  /** Measures the statements. */
  readonly account: Pick<RequestAccount, 'measure'>;
  /** Writes for several requests by one statement, and measures it for each. */
  readonly writeTogether: <Row>(
    accounts: readonly JoiningStatements['account'][],
    statement: Prisma.Sql,
  ) => Promise<Row[]>;
}

/** Stores a new entry in a batch with others that were decided on the same version of the channel. */
export function joinCreate(
  shares: Pick<CallerShares, 'join'>,
  statements: JoiningStatements,
  channel: Channel,
  timed: TimedDraft,
): Promise<Written> {
  return shares.join(
    `create ${channel.siteId} ${channel.uid} ${channel.version}`,
    new JoinedCreate(statements, timed),
    ({ document }) => document.length,
    (all) => storeTogether(channel, all),
  );
}

/** A create, with the statements of its own request. */
class JoinedCreate {
  readonly statements: JoiningStatements;
  readonly timed: TimedDraft;
  #document: string | undefined;

  constructor(statements: JoiningStatements, timed: TimedDraft) {
    this.statements = statements;
    this.timed = timed;
  }

  /** Its row in the call. A create without company needs none. */
  get document(): string {
    return (this.#document ??= draftJson(this.timed));
  }
}

/**
 * Stores a batch. An entry that cannot be stored must neither fail nor delay the others: if none was stored, because of
 * a value that two of them have in common, that the database refuses, or that a lock protects, each is stored by
 * itself. So are entries with equal ids, because the call would take them for one.
 */
async function storeTogether(
  channel: Channel,
  creates: readonly JoinedCreate[],
): Promise<readonly (Written | Promise<Written>)[]> {
  const [first] = creates;
  const drafts = creates.map(({ timed }) => timed.draft);
  if (first !== undefined && creates.length > 1 && new Set(drafts.map(({ id }) => id)).size === creates.length) {
    const accounts = creates.map(({ statements }) => statements.account);
    const write = <Row>(statement: Prisma.Sql): Promise<Row[]> => first.statements.writeTogether(accounts, statement);
    const documents = creates.map(({ document }) => document);
    const together = { drafts, documents, create: Prisma.sql`entryway_join_creates` };
    const outcomes = await storeDrafts({ write }, channel, together).catch(nullIfEachMayTry);
    if (outcomes?.some((written) => written !== 'duplicate')) return outcomes;
  }
  return creates.map(({ statements, timed }) => storeDraft(statements, channel, timed));
}

/**
 * @throws the error, unless nothing was stored and single creates may succeed: the database refused the statement, or a
 * lock was taken. A database that cannot store anything is not tried again.
 */
function nullIfEachMayTry(error: unknown): null {
  if (isBlocked(error) || (leavesConnection(error) && !isUnavailable(error))) return null;
  throw error;
}

// The dependencies of the methods of the Prisma model `entry` (model.ts).
import type { EntryStatements } from '../database/statements.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { TimedDraft, Written } from './draft.ts';
import type { SharedCounts } from './sharedCounts.ts';

/** The `this` of the model's methods. */
export interface ModelContext {
  readonly statements: EntryStatements;
  /** Null to count each total. */
  readonly counts: SharedCounts | null;
  /** Stores a new entry together with others (src/base/joinedWrites.ts); null to store each alone. */
  readonly joinCreate: JoinCreate | null;
}

type JoinCreate = (channel: Channel, timed: TimedDraft) => Promise<Written>;

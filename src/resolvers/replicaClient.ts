// Chooses the database for the reads of a request's entries (docs/contract.md §13.7): standbys answer only public
// tokens without a session.
import type { Directory } from '../auth/directory.ts';
import type { Identity } from '../auth/identify.ts';
import type { Standbys } from '../database/database.ts';
import { ReplicaReads } from '../database/replicas/replicaReads.ts';
import type { EntryStatements } from '../database/statements.ts';
import type { OperationClient } from '../entries/model.ts';
import { shareClient } from '../entries/clients/sharedClient.ts';

interface ReadParts {
  readonly statements: EntryStatements;
  readonly directory: Directory;
}

/** The members of a context that choose the database of reads. */
interface ChosenReads {
  readonly directory: Pick<Directory, 'channel' | 'channelNow' | 'customer' | 'member' | 'settle'>;
  /** null if no standby may answer. */
  readonly replicaDb: OperationClient | null;
}

/**
 * Chooses the database for the reads of a request's entries.
 * @param shared the parts that its client needs besides the statements
 */
export function chooseReads(
  { token, sessionToken }: Pick<Identity, 'token' | 'sessionToken'>,
  site: string,
  shared: Omit<Parameters<typeof shareClient>[0], 'statements'>,
  replicas: Standbys,
  { statements, directory }: ReadParts,
): ChosenReads {
  if (token.kind !== 'public' || sessionToken !== undefined) return { directory, replicaDb: null };
  const reads = new ReplicaReads(replicas, statements, site, token.id);
  return {
    replicaDb: shareClient({ ...shared, statements: reads }),
    directory: {
      ...reads.noting(directory),
      customer: (...key) => directory.customer(...key),
      member: (...key) => directory.member(...key),
      settle: () => directory.settle(),
    },
  };
}

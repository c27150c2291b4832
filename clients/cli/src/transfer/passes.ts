// The two passes of an import: the rows become entries, and then the references among them are set.
import { type ImportJob, importRows, type Pass } from './importRows.ts';
import type { InputFile } from './files/inputFiles.ts';
import type { LinkFile, LinkRow } from './files/linkFile.ts';
import type { ReadyRow, RowPreparer } from './columns/prepareRows.ts';
import type { RejectedRow, SourceRow } from './files/rows.ts';
import type { RejectFiles } from './files/rejectFiles.ts';
import { findUpsertTargets } from '../service/remoteEntries.ts';

export interface Passes extends ImportJob {
  readonly inputs: readonly InputFile[];
  readonly upsert: string | undefined;
  /** Whether the channel did not exist before, so that it has no entries to look up. */
  readonly isNewChannel: boolean;
  readonly rows: AsyncIterable<SourceRow | RejectedRow>;
  readonly preparer: RowPreparer;
  readonly rejects: RejectFiles;
  readonly links: LinkFile;
}

/**
 * Imports what is left to import.
 * @returns false where it was interrupted
 * @throws {Refusal} where it can't continue; the state tells which rows are done
 */
export async function runPasses(passes: Passes): Promise<boolean> {
  return (await importRows(passes, storing(passes))) && (await importRows(passes, linking(passes)));
}

/** The pass in which rows become entries, without the references among them. */
function storing({ file: { state }, ...passes }: Passes): Pass<ReadyRow> {
  const { client, channel, upsert, isNewChannel, dryRun, rejects, links } = passes;
  return {
    rows: prepareAll(passes),
    state,
    key: state.run,
    findTargets: (rows) =>
      upsert === undefined || isNewChannel ? rows.map(() => null) : findUpsertTargets(client, channel, upsert, rows),
    keepsTargets: upsert !== undefined,
    maxOperations: 500,
    settle: async (settled) => {
      const [rejected, linked]: [RejectedRow[], LinkRow[]] = [[], []];
      for (const [row, outcome] of settled) {
        if (outcome === null) rejected.push(row);
        else if ('reason' in outcome) rejected.push(reject(row, outcome));
        else {
          state.counts[outcome.outcome] += 1;
          if (row.links !== undefined && !dryRun) linked.push({ ...row, stored: outcome });
        }
      }
      state.counts.failed += rejected.length;
      await rejects.append(rejected);
      state.links.bytes += await links.append(linked);
    },
  };
}

/** The pass that sets references among the rows, now that all of them are stored. */
function linking({ file: { state }, inputs, rejects, links }: Passes): Pass<LinkRow> {
  return {
    rows: links.read(inputs, state.links.bytes),
    state: state.links,
    key: `${state.run}-links`,
    findTargets: (rows) => rows.map(({ stored: { id, updatedAt } }) => ({ id, updatedAt })),
    keepsTargets: false,
    // Each is an update by itself, and all of a request are one transaction, so that fewer hold up others less.
    maxOperations: 100,
    settle: async (settled) => {
      const rejected: RejectedRow[] = [];
      for (const [row, outcome] of settled) {
        if (outcome === null) continue;
        const { outcome: before } = row.stored;
        if ('reason' in outcome) {
          const reason = `is stored without ${Object.keys(row.members).join(', ')}: ${outcome.reason}`;
          rejected.push(reject(row, { ...outcome, reason }));
          state.counts[before] -= 1;
          state.counts.failed += 1;
        } else if (before === 'unchanged' && outcome.outcome === 'updated') {
          state.counts.unchanged -= 1;
          state.counts.updated += 1;
        }
      }
      await rejects.append(rejected);
    },
  };
}

async function* prepareAll({
  rows,
  preparer,
}: Pick<Passes, 'rows' | 'preparer'>): AsyncGenerator<ReadyRow | RejectedRow> {
  for await (const row of rows) yield 'reason' in row ? row : preparer.prepare(row);
}

function reject({ input, place, given, members }: ReadyRow, why: Pick<RejectedRow, 'reason' | 'errors'>): RejectedRow {
  return { input, place, row: given ?? members, ...why };
}

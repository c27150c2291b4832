// `entryway site export`: writes a whole site to a file, as of one moment, while the service runs.
import type { Database } from '../../database/database.ts';
import { fail } from '../../base/errors.ts';
import { asOperator, type OperatorAccess } from '../operator/operator.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';
import { assertFileName, writeOutput } from '../../../clients/cli/src/terminal/outputFile.ts';
import { withTables } from '../operator/run.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { interruptOnSignals } from '../../../clients/cli/src/terminal/interruption.ts';
import { formatCount, Progress } from '../../../clients/cli/src/terminal/progress.ts';
import { siteId } from '../../../clients/cli/src/service/ids.ts';
import { withCopy } from './databaseCopy.ts';
import { compression, countRows, siteFileChunks, type ReadRows, type SiteHeader } from './siteFile.ts';
import { readSiteHeader, readSiteRows } from './siteRows.ts';

/**
 * @returns null if the file went to standard output
 * @throws {UsageError} if the id or the file is not valid; not_found if there is no such site
 */
export async function exportSite(text: string, { output }: { output: string }): Promise<Result | null> {
  const id = siteId(text);
  await assertFileName(output);
  let opened: Database | null = null;
  return asOperator(
    async (operator) => {
      const { header, bytes, toStdout } = await (opened !== null
        ? exportFrom(opened, id, output)
        : exportCopy(operator, id, output));
      if (toStdout) return null;
      const { counts } = header;
      return {
        json: { id, file: output, bytes, exported: counts, database: operator.database },
        text: `Exported the site ${id} (${describeCounts(counts)}) from ${operator.where} to ${output}.`,
      };
    },
    (work) => withTables((database) => work((opened = database))),
  );
}

/** The numbers of rows in words, without zeros. */
export function describeCounts(counts: Readonly<Record<string, number | undefined>>): string {
  const some = Object.entries(counts).flatMap(([section, count = 0]) =>
    count > 0 ? [`${formatCount(count)} ${section}`] : [],
  );
  return some.join(', ') || 'empty';
}

interface Exported {
  readonly header: SiteHeader;
  readonly bytes: number;
  readonly toStdout: boolean;
}

/** Exports from a copy of the database that a service has open. */
async function exportCopy(operator: OperatorAccess, id: string, output: string): Promise<Exported> {
  const { database } = operator;
  if (database.kind !== 'embedded') throw new Error('A service takes commands on the embedded database alone.');
  return withCopy(operator, database.directory, async (dataDir) => {
    const { openEmbedded } = await import('../../database/embedded/embedded.ts');
    const copy = await openEmbedded({ dataDir });
    try {
      return await exportFrom(copy, id, output);
    } finally {
      await copy.close();
    }
  });
}

/** Exports a site of an open database to a file. @throws not_found; {UsageError} if the file cannot be written */
export async function exportFrom(database: Database, id: string, output: string): Promise<Exported> {
  const { withSnapshot } = await import('../../database/snapshot.ts');
  const interruption = interruptOnSignals();
  try {
    return await withSnapshot(database, async (snapshot) => {
      const header = await readSiteHeader(snapshot, id);
      if (header === null) fail('not_found', `There is no site "${id}". See "entryway site list".`);
      const progress = new Progress(countRows(header));
      try {
        const rows = watched(readSiteRows(snapshot, id, header), progress, interruption.stopping);
        const options = { transform: compression(), isPrivate: true };
        return { header, ...(await writeOutput(output, siteFileChunks(header, rows), options)) };
      } finally {
        progress.stop();
      }
    });
  } finally {
    interruption.release();
  }
}

/** The same rows, with their number shown, until the command is stopped. */
function watched(readRows: ReadRows, progress: Progress, stopping: AbortSignal): ReadRows {
  return async function* (section) {
    for await (const row of readRows(section)) {
      if (stopping.aborted) throw new Refusal('The export was stopped. No file was written.');
      progress.rows += 1;
      progress.bytesDone += 1;
      yield row;
    }
  };
}

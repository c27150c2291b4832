// `entryway backup`: writes the embedded database to a file, while the service continues to run and to write.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { backupChunks } from '../moving/backupFile.ts';
import { withCopy } from '../moving/databaseCopy.ts';
import { asOperator } from '../operator/operator.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';
import { assertFileName, writeOutput } from '../../../clients/cli/src/terminal/outputFile.ts';
import { printing, withDatabase } from '../operator/run.ts';
import { Refusal, UsageError } from '../../../clients/cli/src/terminal/refusal.ts';

export function define(command: Command): void {
  command
    .requiredOption('-o, --output <file>', 'the file; one that is there is replaced once all is written')
    .addHelpText('after', backupHelp)
    .action(printing(backup));
}

const backupHelp = `
The backup has every write that was acknowledged before it began. The files are copied first, while all requests wait: a
second for about a gigabyte. The copy needs room in DATA_DIR, and is deleted at the end. Only its owner may read the file.
"entryway restore <file>" makes a database of it. On PostgreSQL use pg_dump (docs/operations.md).`;

/**
 * @returns null if the file was written to standard output
 * @throws {UsageError} on PostgreSQL, and for a directory; {Refusal} if there is no database, or the file cannot be
 * written
 */
async function backup({ output }: { output: string }): Promise<Result | null> {
  const config = readConfig(process.env);
  await assertFileName(output);
  if (config.databaseUrl !== undefined) {
    throw new UsageError(
      'This backs up the embedded database, and DATABASE_URL names a PostgreSQL server: use pg_dump, as in ' +
        'docs/operations.md, or "entryway site export" for one site.',
    );
  }
  if (!existsSync(join(config.dataDir, 'pgdata', 'PG_VERSION'))) {
    throw new Refusal(
      `There is no database in ${config.dataDir}: set DATA_DIR to the directory of the one that is meant.`,
    );
  }
  return asOperator(async (operator) => {
    const { bytes, toStdout } = await withCopy(operator, config.dataDir, (directory, stopping) =>
      writeOutput(output, untilStopped(backupChunks(directory), stopping), {
        transform: createGzip(),
        isPrivate: true,
      }),
    );
    if (toStdout) return null;
    return {
      json: { file: output, bytes, database: operator.database },
      text: `Backed up ${operator.where} to ${output}, ${bytes} bytes.`,
    };
  }, withDatabase);
}

/** Yields the same chunks, until the command is stopped. */
async function* untilStopped(chunks: AsyncIterable<Buffer>, stopping: AbortSignal): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) {
    if (stopping.aborted) throw new Refusal('The backup was stopped. No file was written.');
    yield chunk;
  }
}

// `entryway export`: writes the entries of a channel as rows of a file. It reads them over the HTTP API.
import { extname } from 'node:path';
import { Option, type Command } from 'commander';
import { asJson, print, printable, writeToStream } from './terminal/output.ts';
import { writeOutput } from './terminal/outputFile.ts';
import { Refusal, UsageError } from './terminal/refusal.ts';
import { interruptOnSignals } from './terminal/interruption.ts';
import { ApiClient } from './service/apiClient.ts';
import { addConnectionOptions, parseConnection, type ConnectionOptions } from './service/connection.ts';
import { parseChannelId } from './service/ids.ts';
import { formatPages } from './transfer/files/exportRows.ts';
import {
  extensionNames,
  fileFormats,
  guessFormat,
  guessSeparator,
  type FileFormat,
} from './transfer/files/inputFiles.ts';
import { formatCount, Progress } from './terminal/progress.ts';
import { fetchRemoteChannel } from './service/remoteChannel.ts';
import { listPages, type RemoteEntry } from './service/remoteEntries.ts';

interface ExportOptions extends ConnectionOptions {
  readonly channel: string;
  readonly where?: string;
  readonly format?: FileFormat;
  readonly output?: string;
  readonly guardFormulas?: true;
}

const exportHelp = `
Each entry becomes a row with slug, _status, _publish_at, its fields and, if the token may read them, _acl and _owner;
references become slugs. "entryway import" makes equal entries of these rows. CSV needs a channel with declared fields.

With --json and without -o, the rows themselves are the one document: an array.

See docs/import-export.md for more.`;

export function define(command: Command): void {
  addConnectionOptions(command)
    .requiredOption('--channel <id>', 'the channel to export')
    .option('--where <json>', 'only the entries that fit a filter, such as {"year":{"lt":1930}}')
    .addOption(new Option('--format <format>', "default: by the file's extension, or ndjson").choices(fileFormats))
    .option('--guard-formulas', "in CSV: put ' before texts that a spreadsheet would take for formulas")
    .option('-o, --output <file>', 'the file to write; it appears once it is complete; default: standard output')
    .addHelpText('after', exportHelp)
    .action(runExport);
}

/** @throws {Refusal} if the options do not fit together, the service refuses, or the file can't be written */
async function runExport(options: ExportOptions): Promise<void> {
  const { where, output, guardFormulas = false } = options;
  const connection = parseConnection(options);
  const id = parseChannelId(options.channel);
  const format = chooseFormat(options);
  if (where !== undefined) checkJson(where);
  if (guardFormulas && format !== 'csv') throw new UsageError('--guard-formulas is for CSV: give --format csv.');
  const interruption = interruptOnSignals();
  const progress = output === undefined ? null : new Progress(0);
  const client = new ApiClient({
    ...connection,
    signal: interruption.stopping,
    say: (line) => process.stderr.write(`${printable(line)}\n`),
  });
  let [count, isReported] = [0, false];
  const readPages = async function* (): AsyncGenerator<RemoteEntry[]> {
    const filter = where === undefined ? '' : `&where=${encodeURIComponent(where)}`;
    for await (const page of listPages(client, id, `sort=created_at${filter}`)) {
      yield page;
      count += page.length;
      if (progress) progress.rows = count;
    }
  };
  try {
    const channel = await fetchRemoteChannel(client, id);
    if (!channel) throw new Refusal(`There is no channel "${id}".`);
    const separator = guessSeparator(output ?? '') ?? ',';
    const texts = formatPages({ format, separator, guardFormulas }, channel, readPages());
    if (output === undefined) await writeToStream(process.stdout, texts);
    else isReported = !(await writeOutput(output, texts)).toStdout;
  } catch (error) {
    throw interruption.stopping.aborted
      ? new Refusal('Interrupted: the export is not complete, and no file was made.')
      : error;
  } finally {
    progress?.stop();
    interruption.release();
  }
  if (output !== undefined && isReported)
    print({ json: { exported: count, file: output }, text: `${formatCount(count)} entries in ${output}` });
}

function chooseFormat({ format, output }: ExportOptions): FileFormat {
  if (output !== undefined) return format ?? guessFormatOf(output);
  if (!asJson) return format ?? 'ndjson';
  if (format === undefined || format === 'json') return 'json';
  throw new UsageError(`--json prints one JSON document, which ${format} is not: name a file with -o.`);
}

/** The format of a file by its extension; NDJSON without one. @throws {UsageError} for an unknown extension */
function guessFormatOf(output: string): FileFormat {
  const format = guessFormat(output);
  if (format !== undefined || extname(output) === '') return format ?? 'ndjson';
  throw new UsageError(
    `The extension of ${output} does not tell a format: name a file with ${extensionNames}, or give --format. Nothing is compressed.`,
  );
}

/** @throws {UsageError} if a filter is not JSON. The service checks whether it fits the channel. */
function checkJson(where: string): void {
  try {
    JSON.parse(where);
  } catch {
    throw new UsageError(`--where is not JSON: give a filter such as '{"year":{"lt":1930}}'.`);
  }
}

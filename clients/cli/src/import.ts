// `entryway import`: creates and updates entries of a channel from the rows of files. It writes them over the HTTP API.
import { rm } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { print, type Result } from './terminal/output.ts';
import { Refusal, UsageError } from './terminal/refusal.ts';
import { interruptOnSignals, type Interruption } from './terminal/interruption.ts';
import { ApiClient } from './service/apiClient.ts';
import { addConnectionOptions, parseConnection, type ConnectionOptions } from './service/connection.ts';
import { parseChannelId } from './service/ids.ts';
import { checkColumns } from './transfer/columns/checkColumns.ts';
import { applyChoice, parseColumnOptions, type ColumnChoice, type ColumnOptions } from './transfer/columns/columns.ts';
import { hintOfFinished, noteFinished } from './transfer/files/finished.ts';
import { checkCreatable, checkUpsert, createFitting, type ChannelCreation } from './transfer/columns/fittingChannel.ts';
import { fileFormats, inspectFiles, type InputFile, type ReadingOptions } from './transfer/files/inputFiles.ts';
import { LeftOut } from './transfer/columns/leftOut.ts';
import { LinkFile } from './transfer/files/linkFile.ts';
import { runPasses, type Passes } from './transfer/passes.ts';
import { RowPreparer } from './transfer/columns/prepareRows.ts';
import { formatCount, Progress } from './terminal/progress.ts';
import { readAllRows } from './transfer/files/readRows.ts';
import { RejectFiles } from './transfer/files/rejectFiles.ts';
import { RowLinks } from './transfer/rowLinks.ts';
import { fetchRemoteChannel, type RemoteChannel } from './service/remoteChannel.ts';
import { openState, saveState, type ImportState, type StateFile } from './transfer/files/stateFile.ts';

interface ImportOptions extends ConnectionOptions, ColumnOptions, ReadingOptions {
  readonly channel: string;
  readonly upsert?: string;
  readonly createChannel?: true;
  readonly dryRun?: true;
  readonly stateDir?: string;
  readonly restart?: true;
  readonly inFlight: string;
}

const importHelp = `
Files: a JSON array of objects (at most 64 MB), NDJSON (an object on each line), or CSV with the names of columns in its
first line, separated by commas, semicolons, tabs or bars; "-" is standard input. UTF-8 and UTF-16 are recognized. A column becomes the field of its name; slug, _status, _publish_at, _acl and _owner are
the entry's own. Only the service sets id, short_id, url, channel, created_at, updated_at, title_field_value and _version:
nothing is imported before --rename, --ignore or --keep says what becomes of such columns. Rows that are whole entries, as
the service shows them, need no such choice.

Rows that can't be stored go to <file>.rejected.ndjson (with --state-dir: there), with their lines and the reasons; the
others are stored, and the exit code is 1. After an interruption, or when the service was away for too long, the same command continues the import.

See docs/import-export.md for more.`;

export function define(command: Command): void {
  command.argument('<file...>', 'the files to import');
  addConnectionOptions(command)
    .requiredOption('--channel <id>', 'the channel to import into')
    .option('--upsert <field>', 'update the entry that has the same value of this field (or slug), if there is one')
    .option('--create-channel', 'create the channel if it does not exist, with fields that fit the rows')
    .option('--rename <column=name>', 'import a column under another name; can be repeated', collect)
    .option('--ignore <columns>', 'leave columns out: names with commas between; can be repeated', collect)
    .option('--keep', 'keep the ids and times of the rows (columns id, created_at, updated_at); needs a master token')
    .option('--dry-run', 'check all rows, and write nothing')
    .addOption(new Option('--format <format>', 'what the files are; default: by extension').choices(fileFormats))
    .option(
      '--encoding <name>',
      'the encoding of the files, such as windows-1252; default: UTF-8, or UTF-16 if they are',
    )
    .option('--separator <character>', 'what separates the cells of CSV (or: tab); default: what the header shows')
    .option(
      '--state-dir <directory>',
      'where to keep the state of the import, and failed rows; default: beside the files',
    )
    .option('--restart', 'start again, and forget an unfinished import of the same files')
    .option('--in-flight <count>', 'how many requests to send at a time', '3')
    .addHelpText('after', importHelp)
    .action(runImport);
}

/** Collects the values of an option that can be repeated. */
function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

async function runImport(paths: string[], options: ImportOptions): Promise<void> {
  const interruption = interruptOnSignals();
  try {
    const counts = await importFiles(paths, options, interruption);
    if (counts.failed > 0) process.exitCode = 1;
  } finally {
    interruption.release();
  }
}

async function importFiles(
  paths: string[],
  options: ImportOptions,
  interruption: Interruption,
): Promise<ImportState['counts']> {
  const { upsert, dryRun = false, createChannel = false } = options;
  const connection = parseConnection(options);
  const channel = parseChannelId(options.channel);
  const maxInFlight = parseInFlight(options.inFlight);
  const columns = parseColumnOptions(options);
  checkKeep(options, connection.token);
  const inputs = await inspectFiles(paths, options);
  const subject = { ...connection, inputs, upsert, channel, createChannel, columns };
  const file = await openState(subject, dryRun ? null : options.stateDir, options.restart);
  const progress = new Progress(inputs.reduce((sum, { size }) => sum + size, 0));
  const client = new ApiClient({ ...connection, signal: interruption.ending, say: (line) => progress.say(line) });
  let leftOut: string;
  try {
    const target = { client, channel, inputs, columns, dryRun, progress, upsert };
    const { fields, isNew } = await findTarget(target, file, interruption.stopping, options);
    const job = { ...target, maxInFlight, file, interruption, fields, isNewChannel: isNew };
    leftOut = await storeRows({ ...job, directory: options.stateDir, respells: createChannel });
    await noteFinished(file, inputs);
    if (file.path !== null) await rm(file.path, { force: true });
  } catch (error) {
    throw interruption.stopping.aborted || error instanceof Refusal ? await explainContinuation(error, file) : error;
  } finally {
    file.release();
    progress.stop();
  }
  if (leftOut !== '') progress.say(leftOut);
  print(summarize(file.state, dryRun, channel));
  return file.state.counts;
}

/** Scans the rows, and finds or creates their channel. @throws {Refusal} before anything is stored */
async function findTarget(
  creation: ChannelCreation,
  file: StateFile,
  stopping: AbortSignal,
  options: ImportOptions,
): Promise<{ fields: RemoteChannel['fields']; isNew: boolean }> {
  const { client, channel, inputs, columns, progress, upsert } = creation;
  const existing = await fetchRemoteChannel(client, channel);
  if (existing === null) checkCreatable(channel, inputs, options.createChannel ?? false);
  const hints = await hintBefore({ file, inputs, columns, existing, stopping, options });
  for (const line of hints) progress.say(line);
  if (existing === null) return { fields: await createFitting(creation), isNew: true };
  checkUpsert(upsert, existing.fields, channel);
  return { fields: existing.fields, isNew: false };
}

interface Storing extends Omit<Passes, 'rows' | 'preparer' | 'rejects' | 'links'> {
  readonly columns: ColumnChoice;
  readonly fields: RemoteChannel['fields'];
  /** The directory of failed rows; absent for that of each input. */
  readonly directory: string | undefined;
  readonly respells: boolean;
}

/** Stores the remaining rows. @returns a line about the columns that were left out; empty if there were none */
async function storeRows({ columns, fields, directory, respells, ...job }: Storing): Promise<string> {
  const { channel, inputs, dryRun, file, progress, upsert } = job;
  const suffix = dryRun ? '.dry-run.rejected.ndjson' : '.rejected.ndjson';
  const rejects = new RejectFiles({ inputs, suffix, directory }, file.state.rejected);
  await rejects.truncate();
  const links = new LinkFile(file.path);
  await links.truncate(file.state.links.bytes);
  const leftOut = new LeftOut();
  const rows = applyChoice(
    readAllRows(
      inputs,
      leftOut.watch((count) => (progress.bytesRead += count)),
    ),
    columns,
  );
  const rowLinks = await findRowLinks(channel, fields, inputs, columns);
  const preparer = new RowPreparer({ fields, upsert, rename: respells, strict: dryRun, links: rowLinks });
  const maxInFlight = rowLinks.needsOrder ? 1 : job.maxInFlight;
  if (!(await runPasses({ ...job, maxInFlight, rows, preparer, rejects, links }))) throw new Refusal('Interrupted.');
  await links.remove();
  return leftOut.toString();
}

function parseInFlight(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 32) return count;
  throw new UsageError('--in-flight must be a whole number from 1 to 32.');
}

/** @throws {UsageError} for --keep with a token that can't keep ids */
function checkKeep({ keep }: ImportOptions, token: string): void {
  if (keep && /^ew_(public|user|session)_/.test(token)) throw new UsageError('--keep needs a master token.');
}

interface LookAhead {
  readonly file: StateFile;
  readonly inputs: readonly InputFile[];
  readonly columns: ColumnChoice;
  readonly existing: RemoteChannel | null;
  readonly stopping: AbortSignal;
  readonly options: ImportOptions;
}

/**
 * Scans the rows before the first one is sent, except standard input, which can be read only once.
 * @returns lines to show
 * @throws {UsageError} if columns are undecided, or their names are not valid for fields
 */
async function hintBefore({ file, inputs, columns, existing, stopping, options }: LookAhead): Promise<string[]> {
  const { upsert, channel, createChannel: respells = false } = options;
  const isNew = file.state.rows === 0 && file.state.pending.length === 0 && upsert === undefined;
  const hint = isNew ? await hintOfFinished(file, inputs, channel) : null;
  const lines = hint === null ? [] : [hint];
  if (inputs[0]?.path === '-') return lines;
  const { fields } = existing ?? { fields: [] };
  return [
    ...lines,
    ...(await checkColumns({ rows: readAllRows(inputs), choice: columns, fields, respells, stopping })),
  ];
}

/**
 * Finds the rows that others may refer to. Standard input can be read only once: there it is the rows before each row.
 */
async function findRowLinks(
  channel: string,
  fields: RemoteChannel['fields'],
  inputs: readonly InputFile[],
  columns: ColumnChoice,
): Promise<RowLinks> {
  const links = new RowLinks(channel, fields);
  if (links.canBe && inputs[0]?.path !== '-') await links.note(applyChoice(readAllRows(inputs), columns));
  return links;
}

/** Makes the refusal of an import that stopped: the reason, the number of rows done, and the command that continues. */
async function explainContinuation(error: unknown, file: StateFile): Promise<Refusal> {
  const refusal = error instanceof Refusal ? error : new Refusal('Interrupted.');
  const { path, state } = file;
  if (path === null || (state.rows === 0 && state.pending.length === 0)) return refusal;
  await saveState(file);
  return new Refusal(
    `${refusal.message} ${formatCount(state.rows)} rows are done (${path}): the same command continues from there.`,
  );
}

function summarize({ counts, rejected }: ImportState, dryRun: boolean, channel: string): Result {
  const { created, updated, unchanged, failed } = counts;
  const done = `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(unchanged)} unchanged`;
  const refused = failed === 0 ? '' : `, ${formatCount(failed)} failed: see ${Object.keys(rejected).join(', ')}`;
  const effect = dryRun
    ? `Dry run: nothing was written. In the channel ${channel} there would be`
    : `Channel ${channel}:`;
  return { json: { created, updated, unchanged, failed }, text: `${effect} ${done}${refused}` };
}

// `entryway import`: rows of files become entries of a channel, over the HTTP API.
import { Option, type Command } from 'commander';
import { print, table, type Result } from './output.ts';
import { Refusal } from './run.ts';
import { createChannel, loadChannel, type RemoteChannel } from './transfer/channel.ts';
import { addConnectionOptions, channelId, connectionOf, type ConnectionOptions } from './transfer/connection.ts';
import { importRows } from './transfer/importing.ts';
import { definitionsOf, inferChannel, newChannel } from './transfer/infer.ts';
import { inputsOf, type Format, type Input } from './transfer/inputs.ts';
import { heedSignals, type Interruption } from './transfer/interruption.ts';
import { Preparer } from './transfer/prepare.ts';
import { grouped, Progress } from './transfer/progress.ts';
import { Rejects } from './transfer/rejects.ts';
import { rowsOf, type Row } from './transfer/rows.ts';
import { Service } from './transfer/service.ts';
import { StateFile, type Counts, type State } from './transfer/state.ts';

interface ImportOptions extends ConnectionOptions {
  readonly channel: string;
  readonly upsert?: string;
  readonly createChannel?: true;
  readonly dryRun?: true;
  readonly format?: Format;
  readonly stateDir?: string;
  readonly restart?: true;
  readonly inFlight: string;
}

const help = `
Files: a JSON array of objects, NDJSON (an object on each line), or CSV with the names of columns in its first line; "-" is
standard input. A member becomes the field of its name; slug, _status, _publish_at, _acl and _owner are the entry's own;
id, short_id, url, channel, created_at, updated_at and title_field_value are left out.

Rows that can't be stored go to <file>.rejected.ndjson, with their lines and the reasons; the others go on, and the exit
code is 1. Interrupted, or given up on a service that is away, it goes on where it was when the same command is given again.

docs/import-export.md tells more.`;

export function define(command: Command): void {
  command.argument('<file...>', 'what to import');
  addConnectionOptions(command)
    .requiredOption('--channel <id>', 'the channel that the entries go to')
    .option('--upsert <field>', 'update the entry that has the same value of this field (or slug), where there is one')
    .option('--create-channel', 'make the channel where there is none, with fields that fit the rows')
    .option('--dry-run', 'check all rows, and write nothing')
    .addOption(new Option('--format <format>', 'what the files are; default: by extension').choices(formats))
    .option('--state-dir <directory>', 'where to keep how far it is; default: beside the first file')
    .option('--restart', 'forget an earlier import of this that was not finished')
    .option('--in-flight <count>', 'requests at a time', '3')
    .addHelpText('after', help)
    .action(run);
}

const formats: readonly Format[] = ['json', 'ndjson', 'csv'];

async function run(paths: string[], options: ImportOptions): Promise<void> {
  const interruption = heedSignals();
  try {
    const counts = await importFiles(paths, options, interruption);
    if (counts.failed > 0) process.exitCode = 1;
  } finally {
    interruption.release();
  }
}

async function importFiles(paths: string[], options: ImportOptions, interruption: Interruption): Promise<Counts> {
  const { upsert, dryRun = false, createChannel: mayCreate = false } = options;
  const connection = connectionOf(options);
  const channel = channelId(options.channel);
  const inFlight = countOf(options.inFlight);
  const inputs = await inputsOf(paths, options.format);
  const identity = { ...connection, inputs, upsert, channel, createChannel: mayCreate };
  const file = dryRun ? StateFile.unkept(identity) : await StateFile.open(identity, options);
  const progress = new Progress(inputs.reduce((sum, { size }) => sum + size, 0));
  const service = new Service({ ...connection, signal: interruption.ending, onTrouble: troubleTeller(progress) });
  const rejects = new Rejects(dryRun ? '.dry-run.rejected.ndjson' : '.rejected.ndjson');
  try {
    const { fields, isNew } = await channelFor({ service, channel, inputs, mayCreate, dryRun, progress });
    checkUpsert(upsert, fields, channel);
    await rejects.rewind(inputs, file.state.rejected);
    const preparer = new Preparer({ fields, upsert, rename: mayCreate, strict: dryRun });
    const rows = rowsOfAll(inputs, progress);
    const job = { service, channel, upsert, dryRun, inFlight, rows, preparer, file, rejects, progress, interruption };
    if (!(await importRows({ ...job, isNewChannel: isNew }))) throw new Refusal('Interrupted.');
    await file.remove();
  } catch (error) {
    throw interruption.stopping.aborted || error instanceof Refusal ? await withWayOn(error, file) : error;
  } finally {
    await rejects.close();
    file.release();
    progress.stop();
  }
  print(summary(file.state, dryRun, channel));
  return file.state.counts;
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 32) throw new Refusal('--in-flight is a number from 1 to 32.');
  return count;
}

function troubleTeller(progress: Progress): (trouble: string | null) => void {
  return (trouble) =>
    progress.say(trouble === null ? 'The service answers again.' : `Waiting for the service: ${trouble}.`);
}

async function* rowsOfAll(inputs: readonly Input[], progress: Progress): AsyncGenerator<Row> {
  for (const input of inputs) yield* rowsOf(input, (count) => progress.read(count));
}

interface Wanted {
  readonly service: Service;
  readonly channel: string;
  readonly inputs: readonly Input[];
  readonly mayCreate: boolean;
  readonly dryRun: boolean;
  readonly progress: Progress;
}

/** The channel that rows go to; made if need be, or, in a dry run, as it would be made. */
async function channelFor(wanted: Wanted): Promise<Pick<RemoteChannel, 'fields'> & { isNew: boolean }> {
  const { service, channel, inputs, mayCreate, dryRun, progress } = wanted;
  const existing = await loadChannel(service, channel);
  if (existing) return { fields: existing.fields, isNew: false };
  if (!mayCreate) throw new Refusal(`There is no channel "${channel}": make it, or give --create-channel.`);
  if (inputs[0]?.path === '-') {
    throw new Refusal('--create-channel reads the rows twice, which standard input does not allow: give a file.');
  }
  const found = newChannel(channel, await inferChannel(allRows(inputs)));
  const title = (name: string): string => (name === found.titleField ? 'title' : '');
  const lines = found.fields.map(({ name, type }) => [name, type, title(name)]);
  progress.say(`The channel ${channel}${found.publishable ? ', publishable' : ''}:`);
  progress.say(table(['field', 'type', ''], lines, 'It has no fields, and takes any.'));
  if (!dryRun) await createChannel(service, found);
  return { fields: definitionsOf(found.fields), isNew: true };
}

async function* allRows(inputs: readonly Input[]): AsyncGenerator<Row> {
  for (const input of inputs) yield* rowsOf(input);
}

/** @throws {Refusal} where no entry could be found by a field */
function checkUpsert(upsert: string | undefined, fields: RemoteChannel['fields'], channel: string): void {
  const isKnown = upsert === undefined || upsert === 'slug' || fields.length === 0;
  if (isKnown || fields.some(({ name }) => name === upsert)) return;
  throw new Refusal(`The channel "${channel}" has no field "${upsert}": --upsert names one of its fields, or slug.`);
}

/** An error that also says how far the import is, and how to go on. */
async function withWayOn(error: unknown, file: StateFile): Promise<Refusal> {
  const why = error instanceof Refusal ? error.message : 'Interrupted.';
  if (!file.isBegun || file.path === null) return new Refusal(why);
  await file.save();
  return new Refusal(
    `${why} ${grouped(file.state.rows)} rows are done (${file.path}): the same command goes on from there.`,
  );
}

function summary({ counts, rejected }: State, dryRun: boolean, channel: string): Result {
  const { created, updated, unchanged, failed } = counts;
  const done = `${grouped(created)} created, ${grouped(updated)} updated, ${grouped(unchanged)} unchanged`;
  const refused = failed === 0 ? '' : `, ${grouped(failed)} failed: see ${Object.keys(rejected).join(', ')}`;
  const what = dryRun
    ? `A dry run, nothing was written. In the channel ${channel} there would be`
    : `Channel ${channel}:`;
  return { json: { created, updated, unchanged, failed }, text: `${what} ${done}${refused}` };
}

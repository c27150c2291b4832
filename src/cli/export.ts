// `entryway export`: the entries of a channel become rows of a file, over the HTTP API.
import { extname } from 'node:path';
import { Option, type Command } from 'commander';
import { asJson, print } from './output.ts';
import { Refusal } from './run.ts';
import { loadChannel } from './transfer/channel.ts';
import { addConnectionOptions, channelId, connectionOf, type ConnectionOptions } from './transfer/connection.ts';
import { rowsIn, writtenAs } from './transfer/exporting.ts';
import type { Format } from './transfer/inputs.ts';
import { heedSignals } from './transfer/interruption.ts';
import { openOutput } from './transfer/outputs.ts';
import { grouped, Progress } from './transfer/progress.ts';
import { Service } from './transfer/service.ts';

interface ExportOptions extends ConnectionOptions {
  readonly channel: string;
  readonly where?: string;
  readonly format?: Format;
  readonly output?: string;
}

const help = `
Each entry becomes a row with slug, _status, _publish_at, _acl and _owner where the token may read them, and its fields;
references become slugs. "entryway import" makes of these rows equal entries. CSV needs a channel with declared fields.

With --json and without -o, the rows themselves are the one document: an array.

docs/import-export.md tells more.`;

const extensions: Readonly<Record<string, Format>> = { '.json': 'json', '.csv': 'csv' };

export function define(command: Command): void {
  addConnectionOptions(command)
    .requiredOption('--channel <id>', 'the channel whose entries to write')
    .option('--where <json>', 'only the entries that fit a filter, such as {"year":{"lt":1930}}')
    .addOption(
      new Option('--format <format>', "default: by the file's extension, or ndjson").choices(['ndjson', 'json', 'csv']),
    )
    .option('-o, --output <file>', 'the file to write, once all is there; default: standard output')
    .addHelpText('after', help)
    .action(run);
}

/** @throws {Refusal} where the options do not fit, or the service or the disk fails */
async function run(options: ExportOptions): Promise<void> {
  const connection = connectionOf(options);
  const channel = channelId(options.channel);
  const format = formatOf(options);
  checkWhere(options.where);
  const interruption = heedSignals();
  const progress = options.output === undefined ? null : new Progress(0);
  const onTrouble = (trouble: string | null): void => {
    process.stderr.write(trouble === null ? 'The service answers again.\n' : `Waiting for the service: ${trouble}.\n`);
  };
  const service = new Service({ ...connection, signal: interruption.stopping, onTrouble });
  const output = await openOutput(options.output);
  try {
    const found = await loadChannel(service, channel);
    if (!found) throw new Refusal(`There is no channel "${channel}".`);
    let count = 0;
    for await (const { text, rows } of writtenAs(format, found, rowsIn(service, channel, options.where))) {
      if (!(await output.write(text))) break;
      count += rows;
      progress?.done(rows);
    }
    await output.finish();
    progress?.stop();
    if (options.output === undefined) return;
    print({ json: { exported: count, file: options.output }, text: `${grouped(count)} entries in ${options.output}` });
  } catch (error) {
    await output.discard();
    throw interruption.stopping.aborted ? new Refusal('Interrupted: nothing is kept of what was written.') : error;
  } finally {
    progress?.stop();
    interruption.release();
  }
}

function formatOf({ format, output }: ExportOptions): Format {
  if (output !== undefined) return format ?? extensions[extname(output).toLowerCase()] ?? 'ndjson';
  if (!asJson) return format ?? 'ndjson';
  if (format === undefined || format === 'json') return 'json';
  throw new Refusal(`--json asks for one document, which ${format} is not: give a file with -o.`);
}

/** @throws {Refusal} where a filter is no JSON; what it means is the service's to judge */
function checkWhere(where: string | undefined): void {
  if (where === undefined) return;
  try {
    JSON.parse(where);
  } catch {
    throw new Refusal(`--where is JSON, such as '{"year":{"lt":1930}}': that is none.`);
  }
}

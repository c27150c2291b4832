// `entryway sync`: keeps a file equal to the entries that a token sees, by the feed of changes (docs/contract.md §8,
// §9).
import { Option, type Command } from 'commander';
import { resolve } from 'node:path';
import { print, printable } from './terminal/output.ts';
import { Refusal, UsageError } from './terminal/refusal.ts';
import { interruptOnSignals } from './terminal/interruption.ts';
import { Follower } from './sync/follower.ts';
import { MirrorFile } from './sync/mirrorFile.ts';
import { ApiClient } from './service/apiClient.ts';
import { addConnectionOptions, findSecret, parseConnection, type ConnectionOptions } from './service/connection.ts';
import { parseChannelId } from './service/ids.ts';
import { formatCount } from './terminal/progress.ts';
import { guessFormat } from './transfer/files/inputFiles.ts';

interface SyncOptions extends ConnectionOptions {
  readonly channel?: string;
  readonly output: string;
  readonly session?: string;
  readonly follow?: true;
  readonly once?: true;
  readonly restart?: true;
}

const syncHelp = `
The file has a line of JSON for each entry, as the API shows it to the token, in no certain order. The first run lists all
entries; the next ones fetch what has changed. The state is beside the file (<file>.sync). A run may be stopped, or killed,
at any time: the file is then whole, and the same command goes on.

Start over with --restart when the roles of the customer change: no change says what that shows or hides.

See docs/changes.md for more.`;

export function define(command: Command): void {
  addConnectionOptions(command)
    .addOption(new Option('--session <token>', 'a session token, to ask as its customer').env('ENTRYWAY_SESSION'))
    .option('--channel <ids>', 'the channels, with commas between; default: all that the service lists to the token')
    .requiredOption('-o, --output <file>', 'the NDJSON file to keep')
    .option('--once', 'stop when the file is up to date; the default')
    .option('--follow', 'go on, and fetch what changes as it changes, until SIGINT or SIGTERM')
    .option('--restart', 'list all entries again, and replace the file')
    .addHelpText('after', syncHelp)
    .action(runSync);
}

/** @throws {Refusal} if the options do not fit together, the service refuses, or the file can't be written */
async function runSync(options: SyncOptions): Promise<void> {
  const { follow = false, once = false, restart = false } = options;
  const session = findSecret(options.session, 'ENTRYWAY_SESSION');
  const connection = { ...parseConnection(options), session: parseSession(session) };
  const channels = options.channel === undefined ? null : parseChannels(options.channel);
  if (follow && once) throw new UsageError('--once and --follow exclude each other.');
  const output = parseOutput(options.output);
  const { url, token, site = null } = connection;
  const subject = {
    '--url': url,
    '--site': site,
    '--token': token,
    '--session': session ?? null,
    '--channel': channels,
  };
  const interruption = interruptOnSignals();
  const signal = interruption.stopping;
  const say = (line: string): void => void process.stderr.write(`${printable(line)}\n`);
  let mirror: MirrorFile | null = null;
  try {
    mirror = await MirrorFile.open(output, subject, restart);
    const client = new ApiClient({ ...connection, signal, say });
    const follower = new Follower({ client, mirror, channels, signal, say });
    await keep(follower, signal, follow);
    const { entries } = mirror;
    const text = `${formatCount(entries)} entries in ${options.output}, after ${formatCount(follower.changes)} changes`;
    print({ json: { entries, changes: follower.changes, file: options.output }, text });
  } finally {
    mirror?.close();
    interruption.release();
  }
}

/** Updates the file, and on request follows the feed until a signal stops it. */
async function keep(follower: Follower, signal: AbortSignal, follow: boolean): Promise<void> {
  let isListed = false;
  try {
    await follower.catchUp();
    isListed = true;
    if (follow) await follower.follow();
  } catch (error) {
    if (!signal.aborted) throw error;
    if (!isListed) throw new Refusal('Interrupted: the file is not up to date yet. The same command goes on.');
  }
  await follower.stop();
}

function parseSession(session: string | undefined): string | undefined {
  if (session === undefined || /^[\x21-\x7e]+$/.test(session)) return session;
  throw new UsageError('--session is not a session token: it holds spaces or other characters that no token has.');
}

/** @returns the ids, sorted, without duplicates */
function parseChannels(text: string): string[] {
  return [...new Set(text.split(',').map((id) => parseChannelId(id.trim())))].sort();
}

function parseOutput(path: string): string {
  if ((guessFormat(path) ?? 'ndjson') === 'ndjson') return resolve(path);
  throw new UsageError('sync writes NDJSON: name a file such as entries.ndjson with -o.');
}

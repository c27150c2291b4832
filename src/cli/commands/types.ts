// `entryway types`: prints TypeScript types of channels. It reads their definitions over the HTTP API.
import { Option, type Command } from 'commander';
import { print, printable } from '../../../clients/cli/src/terminal/output.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { ApiClient, assertSuccess } from '../../../clients/cli/src/service/apiClient.ts';
import {
  addConnectionOptions,
  parseConnection,
  type ConnectionOptions,
} from '../../../clients/cli/src/service/connection.ts';
import { parseChannelId } from '../../../clients/cli/src/service/ids.ts';
import { writeChannelTypes, type DescribedChannel } from '../../features/typed/typescript/channelTypes.ts';

interface TypesOptions extends ConnectionOptions {
  readonly channel: readonly string[];
}

const typesHelp = `
For each channel: the type of its entries, of the payloads of a create and an update, of its filters and its sort keys; and
one type, Channels, for createClient of clients/typescript. Equal channels give equal text:

  entryway types > channels.ts

With --json the text is the member "types" of the document. See docs/typed.md for more.`;

export function define(command: Command): void {
  addConnectionOptions(command)
    .addOption(
      new Option(
        '--channel <id>',
        'only this channel; may be given several times; default: all that the token may know of',
      )
        .default([], 'all')
        .argParser((id: string, others: readonly string[]) => [...others, id]),
    )
    .addHelpText('after', typesHelp)
    .action(runTypes);
}

/**
 * @throws {UsageError} for options that contradict each other; {Refusal} if the service refuses or a channel does not
 * exist
 */
async function runTypes(options: TypesOptions): Promise<void> {
  const connection = parseConnection(options);
  const requestedIds = [...new Set(options.channel.map(parseChannelId))];
  const client = new ApiClient({
    ...connection,
    signal: new AbortController().signal,
    say: (line) => process.stderr.write(`${printable(line)}\n`),
  });
  const response = await client.request('/channels');
  assertSuccess(response, "Can't read the channels");
  const knownChannels = response.body as readonly DescribedChannel[];
  const missing = requestedIds.filter((id) => knownChannels.every((channel) => channel.id !== id));
  if (missing.length > 0)
    throw new Refusal(`There is no channel "${missing.join('", "')}" that this token may know of.`);
  const channels =
    requestedIds.length === 0 ? knownChannels : knownChannels.filter(({ id }) => requestedIds.includes(id));
  const types = writeChannelTypes(channels);
  print({ json: { types }, text: types.trimEnd() });
}

// The channel that an import goes to: one that is there has to have the field of --upsert, and one that is not is made with fields that
// fit the rows.
import { didYouMean, nearestName } from '../../../../../src/base/nearestName.ts';
import { table } from '../../terminal/output.ts';
import { Refusal } from '../../terminal/refusal.ts';
import type { ApiClient } from '../../service/apiClient.ts';
import { applyChoice, type ColumnChoice } from './columns.ts';
import { expandFields, inferChannel } from './inferChannel.ts';
import type { InputFile } from '../files/inputFiles.ts';
import type { Progress } from '../../terminal/progress.ts';
import { readAllRows } from '../files/readRows.ts';
import { makeChannel, type RemoteChannel } from '../../service/remoteChannel.ts';

export interface ChannelCreation {
  readonly client: ApiClient;
  readonly channel: string;
  readonly inputs: readonly InputFile[];
  readonly columns: ColumnChoice;
  readonly dryRun: boolean;
  readonly progress: Progress;
  readonly upsert: string | undefined;
}

/** @throws {Refusal} where the channel does not exist, and is not to be created or can't be inferred */
export function checkCreatable(channel: string, inputs: readonly InputFile[], createChannel: boolean): void {
  if (!createChannel) throw new Refusal(`There is no channel "${channel}": create it, or give --create-channel.`);
  if (inputs[0]?.path === '-') {
    throw new Refusal('--create-channel reads the rows twice, which standard input does not allow: give a file.');
  }
}

/**
 * Creates a channel with fields that fit the rows; a dry run only shows them.
 * @returns its fields
 * @throws {Refusal} before it is made, where no row can be read or --upsert names none of the fields
 */
export async function createFitting(creation: ChannelCreation): Promise<RemoteChannel['fields']> {
  const { client, channel, inputs, columns, dryRun, progress, upsert } = creation;
  const plan = await inferChannel(channel, applyChoice(readAllRows(inputs), columns));
  checkUpsert(upsert, expandFields(plan.fields), channel);
  const lines = plan.fields.map(({ name, type }) => [name, type, name === plan.titleField ? 'title' : '']);
  progress.say(`The channel ${channel}${plan.publishable ? ', publishable' : ''}:`);
  progress.say(table(['field', 'type', ''], lines, 'It declares no fields, and takes any.'));
  if (!dryRun) await makeChannel(client, plan);
  return expandFields(plan.fields);
}

/** @throws {Refusal} where the channel has no field by which --upsert could find entries */
export function checkUpsert(upsert: string | undefined, fields: RemoteChannel['fields'], channel: string): void {
  const isKnown = upsert === undefined || upsert === 'slug' || fields.length === 0;
  const names = ['slug', ...fields.map(({ name }) => name)];
  if (isKnown || names.includes(upsert)) return;
  const hint = didYouMean(nearestName(upsert, names), ': --upsert names one of its fields, or slug.');
  throw new Refusal(`The channel "${channel}" has no field "${upsert}"${hint}`);
}

// Makes responses of changes (docs/contract.md §9).
import type { ChangesInput } from '../inputs/changes.ts';
import { restChange, type ChangePage, type PublicChange } from '../serializers/change.ts';
import { restEntry } from '../serializers/entry.ts';
import type { Exchange, RestResponse } from './route.ts';

/** Responds with a page of changes. @throws answer_too_large */
export async function respondChanges(
  { changes, cursor, more }: ChangePage,
  exchange: Exchange<ChangesInput>,
): Promise<RestResponse> {
  const written = await Promise.all(changes.map((change) => writeChange(change, exchange)));
  return { status: 200, headers: {}, body: `{"changes":[${written.join(',')}],"cursor":"${cursor}","more":${more}}` };
}

/** A change as JSON, with its entry if that was asked for. */
async function writeChange(
  change: PublicChange,
  { input, context }: Pick<Exchange<ChangesInput>, 'input' | 'context'>,
): Promise<string> {
  if (!input.includesEntries) return restChange(change);
  const entry = await change.entry();
  const text = restChange(change, entry ? restEntry(entry) : 'null');
  context.budget.takeAnswer(Buffer.byteLength(text));
  return text;
}

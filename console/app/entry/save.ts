// The request that saves an entry. A master token sets the publication state by an update. For a member an update leaves a draft, so
// that what it sets of the publication state, and what it changes of an entry that is published or scheduled, goes by the
// operations of publishing (docs/contract.md §4.5). Pure.
import { path } from '../api/path.ts';
import type { JsonObject, Status } from '../api/types.ts';
import type { Place } from './kept.ts';

export interface SaveRequest {
  readonly method: 'POST' | 'PATCH';
  readonly to: string;
  readonly body: JsonObject;
}

/** The publication state before a save; null for an entry of a channel that is not publishable, and for a new one. */
export type StateBefore = Status | null;

/**
 * @param changes the members that differ from what is stored
 * @param isMember whether a user token sends it
 */
export function requestOfSave(
  { channel, id }: Place,
  changes: JsonObject,
  isMember: boolean,
  before: StateBefore,
): SaveRequest {
  if (id === null) return { method: 'POST', to: path`/channels/${channel}/entries`, body: changes };
  const to = path`/channels/${channel}/entries/${id}`;
  const { _status: status = before, _publish_at: at, ...entry } = changes;
  if (!isMember || before === null || (status === 'draft' && before === 'draft')) {
    return { method: 'PATCH', to, body: changes };
  }
  if (status === 'draft') return { method: 'POST', to: `${to}/unpublish`, body: {} };
  const body = {
    ...(at !== undefined && { publish_at: at }),
    ...(Object.keys(entry).length > 0 && { entry }),
  };
  return { method: 'POST', to: `${to}/publish`, body };
}

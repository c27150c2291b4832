// Which channels exist to a caller (docs/contract.md §3.8): to a public token those that its caller may read or create in by
// their scopes. Of another channel it is told no setting, and no field unless the caller sees an entry.
import { channelRules } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { ListInput, MatchInput } from '../inputs/lists/list.ts';
import { defaultSort } from '../inputs/lists/sort.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { mayKnowChannel } from '../rules/access.ts';
import type { Caller } from '../rules/callers.ts';
import type { OperationContext } from './operation.ts';

/** Whether a channel exists to a caller by its scopes alone. */
export function isKnown(channel: Parameters<typeof channelRules>[0], caller: Caller): boolean {
  return mayKnowChannel(caller, channelRules(channel).acl);
}

/**
 * Whether a channel exists to a caller by its scopes, or because the caller sees an entry of it now: by no shared count, so that
 * the answer agrees with what a fetch finds.
 */
async function isKnownOrSeen(channel: Channel, context: OperationContext): Promise<boolean> {
  const {
    caller,
    viewer,
    baseUrl,
    services: { db },
    admission: { limits },
  } = context;
  if (isKnown(channel, caller)) return true;
  const maxMilliseconds = limits.scanTime;
  return db.entry.hasVisible({ channel, viewer, baseUrl, maxMilliseconds, predicate: { and: [] }, search: null });
}

/**
 * What is asked of a channel's entries, without the fields that it names where the channel does not exist to the caller: they
 * match no entry, and whether the channel has them is not told.
 */
export async function withoutHiddenFields<Input extends MatchInput>(
  input: Input,
  channel: Channel,
  context: OperationContext,
): Promise<Input> {
  if (!namesFields(input) || (await isKnownOrSeen(channel, context))) return input;
  return { ...input, filter: { or: [] }, search: null, sort: defaultSort, only: null, include: null };
}

/** Whether anything is asked but for all entries in the usual order: only the answers to such requests tell of fields. */
function namesFields({
  filter,
  search,
  ...rest
}: MatchInput & Partial<Pick<ListInput, 'sort' | 'only' | 'include'>>): boolean {
  const { sort = defaultSort, only = null, include = null } = rest;
  const takesAll = 'and' in filter && filter.and.length === 0 && search === null;
  return !takesAll || sort !== defaultSort || only !== null || (include?.size ?? 0) > 0;
}

/** Finds the channel that a reference field leads to; null where there is none, or none that exists to the caller. */
export async function findKnownTarget(field: FieldDefinition, context: OperationContext): Promise<Channel | null> {
  const target = await context.references.findTarget(field);
  return target !== null && (await isKnownOrSeen(target, context)) ? target : null;
}

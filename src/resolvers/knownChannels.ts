// Decides which channels exist to a caller (docs/contract.md §3.8): to a public token those that its caller may read or
// create in by their scopes. Other channels reveal no settings, and reveal fields only to callers who can see one of
// their entries.
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { channelRules } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { ListInput, MatchInput } from '../inputs/lists/list.ts';
import { defaultSort } from '../inputs/lists/sort.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { mayKnowChannel } from '../rules/access.ts';
import type { Caller } from '../rules/callers.ts';
import type { OperationContext } from './operation.ts';

/** Whether a channel exists to a caller by its scopes alone, and by those of the caller's token. */
export function isKnown(channel: Parameters<typeof channelRules>[0], caller: Caller): boolean {
  return mayKnowChannel(caller, channelRules(channel));
}

/**
 * Whether a channel exists to a caller by its scopes, or because the caller sees an entry of it now: by no shared
 * count, so that the answer agrees with that of a fetch.
 */
function isKnownOrSeen(channel: Channel, context: OperationContext): PromiseOrValue<boolean> {
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
 * Drops the fields that a list's match names if the channel does not exist to the caller: they match no entry, and the
 * answer does not reveal whether the channel has them.
 */
export function withoutHiddenFields<Input extends MatchInput>(
  input: Input,
  channel: Channel,
  context: OperationContext,
): PromiseOrValue<Input> {
  if (!namesFields(input)) return input;
  return andThen(isKnownOrSeen(channel, context), (isSeen) =>
    isSeen ? input : { ...input, filter: { or: [] }, search: null, sort: defaultSort, only: null, include: null },
  );
}

/**
 * Whether a match asks for anything but all entries in the usual order: only answers to such requests depend on fields.
 */
function namesFields({
  filter,
  search,
  ...rest
}: MatchInput & Partial<Pick<ListInput, 'sort' | 'only' | 'include'>>): boolean {
  const { sort = defaultSort, only = null, include = null } = rest;
  const takesAll = 'and' in filter && filter.and.length === 0 && search === null;
  return !takesAll || sort !== defaultSort || only !== null || (include?.size ?? 0) > 0;
}

/** Finds the channel that a reference field leads to; null if there is none, or none that exists to the caller. */
export async function findKnownTarget(field: FieldDefinition, context: OperationContext): Promise<Channel | null> {
  const target = await context.references.findTarget(field);
  return target !== null && (await isKnownOrSeen(target, context)) ? target : null;
}

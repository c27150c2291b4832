// Parses requests for changes, of both doors (docs/contract.md §9).
import { fail } from '../../base/errors.ts';
import { nearestName } from '../../base/nearestName.ts';
import { maxChanges } from '../../inputs/lists/list.ts';

/** The names of changes, in the order of docs/contract.md §9. */
export const changeTypes = [
  ...(['entry.created', 'entry.updated', 'entry.deleted'] as const),
  ...(['entry.published', 'entry.unpublished', 'entry.removed'] as const),
  ...(['channel.created', 'channel.updated', 'channel.deleted', 'channel.removed'] as const),
];
export type ChangeTypeName = (typeof changeTypes)[number];

/** The arguments of both doors. */
export interface ChangesArguments {
  readonly channel?: string | null | undefined;
  readonly after?: string | null | undefined;
  /** GraphQL calls it first. */
  readonly limit?: number | null | undefined;
  readonly first?: number | null | undefined;
  /** In REST: names separated by commas. */
  readonly types?: string | readonly string[] | null | undefined;
  readonly include?: string | null | undefined;
}

export interface ChangesInput {
  /** Null for all channels. */
  readonly channel: string | null;
  /** A cursor; null for the oldest change that is kept; `now` for changes to come. */
  readonly after: string | null;
  readonly limit: number;
  /** Null for all. */
  readonly types: ReadonlySet<ChangeTypeName> | null;
  readonly includesEntries: boolean;
}

const usualLimit = 100;

/** @throws bad_request for a malformed limit, types or include */
export function parseChanges({ channel, after, limit, first, types, include }: ChangesArguments): ChangesInput {
  if (include !== undefined && include !== null && include !== 'entry') fail('bad_request', 'include must be entry.');
  return {
    channel: channel ?? null,
    after: after ?? null,
    limit: readLimit(limit ?? first),
    types: readTypes(types),
    includesEntries: include === 'entry',
  };
}

function readLimit(limit: number | null | undefined): number {
  const size = limit ?? usualLimit;
  if (!Number.isSafeInteger(size) || size < 1 || size > maxChanges) {
    fail('bad_request', `A page of changes must have 1 to ${maxChanges} of them (REST: limit, GraphQL: first).`);
  }
  return size;
}

/** Parses names of types. @throws bad_request for an unknown one */
function readTypes(types: string | readonly string[] | null | undefined): ReadonlySet<ChangeTypeName> | null {
  if (types === undefined || types === null) return null;
  const names = typeof types === 'string' ? types.split(',') : types;
  const known: readonly string[] = changeTypes;
  for (const name of names) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, changeTypes);
    const hint = nearest === null ? '' : ` Is ${nearest} meant?`;
    fail('bad_request', `types can't contain ${JSON.stringify(name)}: it takes ${changeTypes.join(', ')}.${hint}`);
  }
  return new Set(names as ChangeTypeName[]);
}

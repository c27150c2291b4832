// What a read is asked to return of each entry (docs/contract.md §5): `only`, the members; `include`, the reference fields whose
// entries are embedded.
import { comparableField } from '../entries/comparable.ts';
import { fail } from '../errors.ts';
import { compiledFields } from '../fields/compiled.ts';
import type { Channel } from '../generated/prisma/client.ts';

/** Paths of one `include`, and the fields of one path. */
const mostPaths = 20;
const deepestPath = 2;

/** The reference fields to embed, each with those of the entries that it leads to. */
export type Include = ReadonlyMap<string, Include>;

/**
 * The fields that `include` names, a comma list of paths with at most one dot each. Whether a channel has them is checked
 * later.
 * @param list null: nothing is embedded; absent: references are not followed here (in GraphQL its fields follow them)
 * @throws bad_request for too many paths, or one with more than one dot
 */
export function parseInclude(list: string | null | undefined): Include | null {
  if (list === undefined) return null;
  const include = new Map<string, Map<string, Include>>();
  const paths = list?.split(',') ?? [];
  if (paths.length > mostPaths) fail('bad_request', `include must name at most ${mostPaths} fields.`);
  for (const path of paths) {
    const [name = '', ...rest] = path.split('.');
    if (rest.length >= deepestPath) fail('bad_request', `include: ${JSON.stringify(path)} has more than one dot.`);
    const below = include.get(name) ?? new Map<string, Include>();
    for (const inner of rest) below.set(inner, new Map());
    include.set(name, below);
  }
  return include;
}

/** The members that a comma list names; null where there is none, for all members. */
export function parseOnly(list: string | undefined): readonly string[] | null {
  return list === undefined ? null : list.split(',');
}

/** @throws bad_request for a name that is not a member of the channel's entries */
export function assertMembers(only: readonly string[] | null, channel: Channel): void {
  for (const name of only ?? []) {
    if (comparableField(name, channel, true) === null && !compiledFields(channel).references.has(name)) {
      fail('bad_request', `only: ${JSON.stringify(name)} is not a member of the channel's entries.`);
    }
  }
}

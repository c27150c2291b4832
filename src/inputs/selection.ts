// The selection of members to return of each entry (docs/contract.md §5): `only`, the members; `include`, the reference
// fields whose entries are embedded.
import { comparableField } from '../entries/comparable.ts';
import { fail } from '../base/errors.ts';
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import { compiledFields } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { didYouMean, nearestName } from '../base/nearestName.ts';
import { versionName } from '../rules/names.ts';
import { fieldNames } from './lists/fieldNames.ts';
import { parseCommaList } from './lists/filterParameters.ts';

/** Limits of `include`: number of paths. */
export const maxPaths = 20;
const maxPathDepth = 2;

/** The reference fields to embed, each with those of its entries. */
export type Include = ReadonlyMap<string, Include>;

/** Embeds nothing: every reference is a stub. */
export const stubsOnly: Include = new Map();

/** The members and references to return of an entry. */
export interface Selection {
  /** The members to return; null for all. */
  readonly only: readonly string[] | null;
  /** The references to embed; null if GraphQL's fields follow them where they are selected. */
  readonly include: Include | null;
}

/** The arguments that select members and references. */
export interface SelectionArguments {
  /** A comma list of members, quoted if they hold a comma; absent for all. */
  readonly only?: string | undefined;
  /** A comma list of paths with at most one dot each; null embeds nothing; absent in GraphQL. */
  readonly include?: string | null | undefined;
}

/**
 * Parses a selection. `assertSelection` checks that the channel has the members.
 * @throws bad_request for too many paths of `include`, or one with more than one dot
 */
export function parseSelection({ only, include }: SelectionArguments): Selection {
  return {
    only: only === undefined ? null : parseCommaList('only', only),
    include: include === undefined ? null : include === null ? stubsOnly : parseInclude(include),
  };
}

function parseInclude(list: string): Include {
  const include = new Map<string, Map<string, Include>>();
  const paths = list.split(',');
  if (paths.length > maxPaths) fail('bad_request', `include must have at most ${maxPaths} paths.`);
  for (const path of paths) {
    const [name = '', ...rest] = path.split('.');
    if (rest.length >= maxPathDepth) fail('bad_request', `include: ${JSON.stringify(path)} must have at most one dot.`);
    const below = include.get(name) ?? new Map<string, Include>();
    for (const inner of rest) below.set(inner, new Map());
    include.set(name, below);
  }
  return include;
}

/** Finds the channel that a reference field leads to; null if it was deleted. */
type FindTarget = (field: FieldDefinition) => PromiseOrValue<Channel | null>;

/**
 * Checks a selection against the channel of the entries. Any caller may name `_acl` and `_owner`: answers omit them for
 * callers who may not read them.
 * @param mayReadPrivate whether the caller may read these two of every entry, so that a message may suggest them
 * @throws bad_request for a name that is not a member of them, and for a path of `include` that names a field which
 * does not refer to entries
 */
export function assertSelection(
  { only, include }: Selection,
  channel: Channel,
  mayReadPrivate: boolean,
  findTarget: FindTarget,
): PromiseOrValue<void> {
  for (const name of only ?? []) {
    const isMember = name === versionName || comparableField(name, channel, true) !== null;
    if (!isMember && !compiledFields(channel).references.has(name)) {
      const hint = didYouMean(nearestName(name, fieldNames(channel, mayReadPrivate)));
      fail('bad_request', `only: ${JSON.stringify(name)} is not a member of the channel's entries${hint}`);
    }
  }
  return include !== null && include.size > 0 ? assertIncludable(include, channel, findTarget, '') : undefined;
}

async function assertIncludable(
  include: Include,
  channel: Channel,
  findTarget: FindTarget,
  path: string,
): Promise<void> {
  const fields = compiledFields(channel).references;
  for (const [name, below] of include) {
    const field = fields.get(name);
    if (field === undefined) {
      const nearest = nearestName(name, fields.keys());
      const hint = didYouMean(nearest === null ? null : path + nearest);
      fail('bad_request', `include: ${JSON.stringify(path + name)} is not a field that refers to entries${hint}`);
    }
    const target = below.size === 0 ? null : await findTarget(field);
    if (target !== null) await assertIncludable(below, target, findTarget, `${path}${name}.`);
  }
}

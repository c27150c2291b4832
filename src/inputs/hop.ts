// Comparisons that reach through a reference: `author=ada`, `author.name=Ada` (docs/contract.md §5). What is compared is always an
// entry that the caller may see, so that nothing is told of the others: they count as absent, under negations, too.
import { fail } from '../errors.ts';
import { compiledFields } from '../fields/compiled.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { entryKey, type EntryKey } from '../rules/slug.ts';
import { isTrue, listOf, predicateOf, type Predicate, type Reader } from './comparison.ts';
import { isObject } from './json.ts';
import { comparisonsIn, type Comparison, type Condition } from './filter.ts';

/** Some entry that a field refers to, and that the caller may see, passes. */
export interface Hop {
  readonly through: string;
  /** The channel that the field refers to. */
  readonly target: Channel;
  readonly holds: Predicate;
}

/** The entry of a name. */
export interface Named {
  readonly named: EntryKey;
}

const nothing: Predicate = { any: [] };
const everything: Predicate = { all: [] };

/** The reference fields that a condition compares by. */
export function fieldsThrough(condition: Condition, channel: Pick<Channel, 'fields'>): Set<string> {
  const references = compiledFields(channel).references;
  const names = comparisonsIn(condition).map(({ field }) => field.split('.', 1)[0] ?? '');
  return new Set(names.filter((name) => references.has(name)));
}

/**
 * What a comparison by a reference field means; null where it is by another field.
 * @throws bad_request as predicateOf does; and for a second hop
 */
export function hopOf(comparison: Comparison, channel: Channel, reader: Reader): Predicate | null {
  const { field } = comparison;
  const dot = field.indexOf('.');
  const through = dot === -1 ? field : field.slice(0, dot);
  if (!compiledFields(channel).references.has(through)) return null;
  const target = reader.targets.get(through) ?? null;
  if (dot === -1) return byItself(comparison, through, target);
  // Where the channel was deleted nothing is there to be compared, whatever its fields were.
  const there = target ?? { ...channel, fields: [] };
  const beyond = { ...comparison, field: field.slice(dot + 1) };
  if (fieldsThrough(beyond, there).size > 0) fail('bad_request', `${field}: filters reach through one reference.`);
  return reaching(through, target, predicateOf(beyond, there, { ...reader, targets: new Map() }));
}

/** Negations stand outside: what is not there passes them. */
function reaching(through: string, target: Channel | null, holds: Predicate): Predicate {
  if ('not' in holds) return { not: reaching(through, target, holds.not) };
  return target === null ? nothing : { through, target, holds };
}

/** A reference is compared with the id, short id or slug of an entry, or with its stub. */
function byItself({ field, op, value, isText }: Comparison, through: string, target: Channel | null): Predicate {
  const keyOf = (each: unknown): Predicate => {
    const name = isObject(each) ? each['id'] : each;
    if (typeof name !== 'string') fail('bad_request', `${field}: an entry is named by its id, short id or slug.`);
    const key = entryKey(name);
    return key === null ? nothing : { named: key };
  };
  const named = (each: unknown): Predicate => reaching(through, target, keyOf(each));
  // One look at what the field refers to, for all names together.
  const oneOf = (): Predicate => reaching(through, target, { any: listOf(field, value).map(keyOf) });
  switch (op) {
    case 'eq':
      return named(value);
    case 'ne':
      return { not: named(value) };
    case 'in':
      return oneOf();
    case 'nin':
      return { not: oneOf() };
    case 'all':
      return { all: [reaching(through, target, everything), ...listOf(field, value).map(named)] };
    case 'exists':
      return isTrue(field, value, isText === true)
        ? reaching(through, target, everything)
        : { not: reaching(through, target, everything) };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      fail('bad_request', `${field}: ${op} does not go with the field's type.`);
  }
}

// Narrows the fields of a channel to those that exist for one caller (docs/contract.md §14.6). Whatever reads a channel on the way
// of a request gets the narrowed one: a field that is not in it is unknown, as one that nobody declared. The whole fields are
// reached from it, because a write stores, and derives, the values of all.
import type { Channel } from '../generated/prisma/client.ts';
import type { Viewer } from '../rules/callers.ts';
import {
  decideField,
  hasRule,
  narrower,
  ruleSubject,
  type FieldAccess,
  type RuleSubject,
} from '../rules/fieldRules.ts';
import { definitionsJson } from './definitionsJson.ts';
import { readDefinitions, type FieldDefinition } from './definition.ts';

/** A field that exists for a caller: it may read it, or write it in some entry. */
export interface KnownField extends FieldAccess {
  readonly definition: FieldDefinition;
}

/** Fields as they exist for one caller. */
export interface NarrowedFields {
  /** All fields, as the channel's row has them. */
  readonly whole: Channel['fields'];
  /** The fields that exist for the caller, in the channel's order. */
  readonly known: readonly KnownField[];
  /** The names of those that the caller may not read. */
  readonly unreadable: readonly string[];
  /** Names what the caller may do: equal for callers who may do the same. */
  readonly key: string;
}

type Fields = Channel['fields'];
type JsonArray = ReturnType<typeof definitionsJson>;

/** By the array of the readable fields, which a narrowed channel has for its fields. */
const narrowings = new WeakMap<object, NarrowedFields>();
/** Whether one of the fields of a row has a rule. */
const ruled = new WeakMap<object, boolean>();
/** The arrays of readable fields, by that of a row's fields and the key of what the caller may do. */
const narrowed = new WeakMap<object, Map<string, object>>();
/** The narrowed channels, by their row and the same key. */
const channels = new WeakMap<object, Map<string, object>>();

/** Number of narrowings that are kept of a row: a site can have many combinations of roles. */
const maxKept = 100;

/** Whether a field of a channel has a rule. */
export function hasRules(fields: Fields): boolean {
  const stored = fields as readonly unknown[];
  const cached = ruled.get(stored);
  if (cached !== undefined) return cached;
  const found = readDefinitions(stored).some(hasRule);
  ruled.set(stored, found);
  return found;
}

/** The narrowing that made some fields; undefined for those of a row. */
export function narrowingOf(fields: Fields): NarrowedFields | undefined {
  return narrowings.get(fields as object);
}

/** All fields of a channel, whether it was narrowed or not. */
export function wholeFields(fields: Fields): Fields {
  return narrowingOf(fields)?.whole ?? fields;
}

/** The channel with all of its fields: for what a write stores, and derives. */
export function wholeChannel<C extends Pick<Channel, 'fields'>>(channel: C): C {
  const narrowing = narrowingOf(channel.fields);
  return narrowing === undefined ? channel : { ...channel, fields: narrowing.whole };
}

/** The fields that exist for a caller, with what it may do with each. */
export function knownFields(fields: Fields): readonly KnownField[] {
  const known = narrowingOf(fields)?.known;
  return known ?? readDefinitions(fields).map((definition) => ({ definition, isReadable: true, writable: 'all' }));
}

/**
 * Narrows fields to those that exist for all of some subjects: one, or in a preview the actor and the caller.
 * @returns the readable ones; the same array where the subjects may read and write all
 */
export function narrowFields(fields: Fields, subjects: readonly RuleSubject[]): Fields {
  if (!hasRules(fields)) return fields;
  const whole = wholeFields(fields);
  const accesses = readDefinitions(whole).map((definition): KnownField => {
    const [first, ...others] = subjects.map((subject) => decideField(definition, subject));
    const access = others.reduce((one, other) => narrower(one, other), first ?? nobody);
    return { definition, ...access };
  });
  if (accesses.every(({ isReadable, writable }) => isReadable && writable === 'all')) return whole;
  const key = accesses.map(({ isReadable, writable }) => (isReadable ? 'r' : '-') + writable.charAt(0)).join('');
  return remember(narrowed, whole as object, key, (): JsonArray => {
    const known = accesses.filter(({ isReadable, writable }) => isReadable || writable !== 'none');
    const readable = known.filter(({ isReadable }) => isReadable).map(({ definition }) => definition);
    const unreadable = accesses.filter(({ isReadable }) => !isReadable).map(({ definition: { name } }) => name);
    const made = definitionsJson(readable);
    narrowings.set(made, { whole, known, unreadable, key });
    ruled.set(made, true);
    return made;
  });
}

const nobody: FieldAccess = { isReadable: false, writable: 'none' };

/** The channel as it exists for a viewer. A channel without rules, and one all of whose fields the viewer may use, is the same object. */
export function narrowChannel<C extends Pick<Channel, 'fields'>>(channel: C, viewer: FieldViewer): C {
  if (!hasRules(channel.fields)) return channel;
  const fields = narrowFields(channel.fields, ruleSubjects(viewer));
  if (fields === channel.fields) return channel;
  const key = narrowingOf(fields)?.key ?? '';
  return remember(channels, channel, key, () => ({ ...channel, fields }));
}

/** The part of a viewer that decides on fields. */
export type FieldViewer = Pick<Viewer, 'subject' | 'isUser' | 'within'>;

/** The subjects that the rules ask for a viewer: in a preview its caller, too. */
export function ruleSubjects(viewer: FieldViewer): RuleSubject[] {
  const own = ruleSubject(viewer);
  return viewer.within === null ? [own] : [own, ...ruleSubjects(viewer.within)];
}

function remember<Made extends object>(
  cache: WeakMap<object, Map<string, object>>,
  of: object,
  key: string,
  make: () => Made,
): Made {
  const made = cache.get(of) ?? new Map<string, object>();
  cache.set(of, made);
  const found = made.get(key);
  if (found !== undefined) return found as Made;
  if (made.size >= maxKept) made.clear();
  const value = make();
  made.set(key, value);
  return value;
}

// What was changed of an entry, and how that goes together with what others changed meanwhile. Pure.
import type { Json, JsonObject } from '../api/types.ts';

/** Whether two values are the same. References are the same if they lead to the same entry, whatever its title is by now. */
export function isSame(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return false;
  if (Array.isArray(one) || Array.isArray(other)) return areSameLists(one, other);
  const [first, second] = [one as JsonObject, other as JsonObject];
  if (isStub(first) && isStub(second)) return first['id'] === second['id'];
  const names = Object.keys(first);
  return (
    names.length === Object.keys(second).length &&
    names.every((name) => Object.hasOwn(second, name) && isSame(first[name] ?? null, second[name] ?? null))
  );
}

function areSameLists(one: Json, other: Json): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((value: Json, index) => isSame(value, (other as readonly Json[])[index] ?? null));
}

/** Whether a value is the short form of an entry. */
export function isStub(value: JsonObject): boolean {
  return typeof value['id'] === 'string' && typeof value['channel'] === 'string' && typeof value['slug'] === 'string';
}

/** The members of a draft that differ from what is stored. Those are all that a save sends. */
export function changedMembers(stored: JsonObject, draft: JsonObject): JsonObject {
  const changed = Object.entries(draft).filter(([name, value]) => !isSame(value, stored[name] ?? null));
  return Object.fromEntries(changed);
}

/** What was typed of each member, and what was stored of it when that began. */
export interface Draft {
  readonly values: JsonObject;
  readonly bases: JsonObject;
}

export const noDraft: Draft = { values: {}, bases: {} };

/** A draft in which members have other values. */
export function withMembers(stored: JsonObject, { values, bases }: Draft, members: JsonObject): Draft {
  const begun = Object.keys(members).map((name) => [
    name,
    (Object.hasOwn(values, name) ? bases : stored)[name] ?? null,
  ]);
  return { values: { ...values, ...members }, bases: { ...bases, ...Object.fromEntries(begun) } as JsonObject };
}

/** A draft without members: these are as they are stored. */
export function withoutMembers({ values, bases }: Draft, names: Iterable<string>): Draft {
  const dropped = new Set(names);
  const rest = (members: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(members).filter(([name]) => !dropped.has(name)));
  return { values: rest(values), bases: rest(bases) };
}

/**
 * A draft after the text of a JSON object was changed.
 * @param before the names of the members that the text had: what is left out of it now is as it is stored
 */
export function withText(stored: JsonObject, draft: Draft, before: readonly string[], members: JsonObject): Draft {
  const changed = changedMembers(stored, members);
  const dropped = [...before, ...Object.keys(members)].filter((name) => !Object.hasOwn(changed, name));
  return withMembers(stored, withoutMembers(draft, dropped), changed);
}

/** A member that both changed, differently. */
export interface Clash {
  readonly name: string;
  readonly before: Json;
  readonly theirs: Json;
  readonly yours: Json;
}

export interface Conflict {
  /** What has to be chosen. */
  readonly clashes: readonly Clash[];
  /** What only others changed: it stays as they left it. */
  readonly taken: readonly Omit<Clash, 'yours'>[];
}

/** Members that every write changes by itself. */
const selfMoving = new Set(['updated_at', 'title_field_value']);

/** Compares what was read, what is stored now, and what is to be saved. */
export function compare(before: JsonObject, theirs: JsonObject, yours: JsonObject): Conflict {
  const names = [...new Set([...Object.keys(before), ...Object.keys(theirs)])].filter((name) => !selfMoving.has(name));
  const moved = names
    .map((name) => ({ name, before: before[name] ?? null, theirs: theirs[name] ?? null }))
    .filter((each) => !isSame(each.before, each.theirs));
  const isClash = ({ name, theirs: value }: Omit<Clash, 'yours'>): boolean =>
    Object.hasOwn(yours, name) && !isSame(value, yours[name] ?? null);
  return {
    clashes: moved.filter(isClash).map((each) => ({ ...each, yours: yours[each.name] ?? null })),
    taken: moved.filter((each) => !Object.hasOwn(yours, each.name)),
  };
}

export type Choice = 'theirs' | 'yours';

/** What is to be saved after a choice was made for each clash. */
export function resolve(yours: JsonObject, choices: Readonly<Record<string, Choice>>): JsonObject {
  return Object.fromEntries(Object.entries(yours).filter(([name]) => choices[name] !== 'theirs'));
}

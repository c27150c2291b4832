// The custom fields of an entry in GraphQL: all of them, some, or one.
import { unlimitedBudget, type Budget } from '../admission/budget.ts';
import { fail } from '../base/errors.ts';
import { compiledFields } from '../fields/compiled.ts';
import { stubsOnly } from '../inputs/selection.ts';
import { didYouMean, nearestName } from '../base/nearestName.ts';
import { embedReferences } from '../resolvers/references/embed.ts';
import type { PublicEntry } from '../serializers/entry.ts';
import { ParsedFields, type ShownFields } from '../serializers/shownFields.ts';

/** The custom fields of entries with references, with stubs for these. */
const stubbedFields = new WeakMap<PublicEntry, Promise<ShownFields>>();

/**
 * The custom fields of an entry: at once, unless it has references to follow. Aliases follow them once, but each is a
 * part of the answer.
 * @throws too_complex if the request follows too many references; answer_too_large
 */
export function showFields(entry: PublicEntry, budget: Budget): ShownFields | Promise<ShownFields> {
  const { size, targets, isShown } = entry.origin;
  if (!isShown) {
    take(entry, size, budget);
    return targets.size === 0 ? entry.fields : withStubs(entry, budget);
  }
  if (targets.size === 0) return showAgain(entry.fields, budget);
  return withStubs(entry, budget).then((fields) => showAgain(fields, budget));
}

function showAgain(fields: ShownFields, budget: Budget): ShownFields {
  budget.takeAnswer(countBytes(fields));
  return fields;
}

/** Takes the budget of an entry's fields. Those of one that was just written are shown in any case. */
function take(entry: PublicEntry, bytes: number, budget: Budget): void {
  const { origin } = entry;
  const isFirst = !origin.isShown;
  origin.isShown = true;
  if (origin.written === undefined || !isFirst) budget.takeAnswer(bytes);
}

/** The fields of written entries that are a part of the answer already. */
const shownOnce = new WeakMap<PublicEntry, Set<string>>();

/**
 * Takes the budget of one field. Each field of an entry that was just written is shown in any case, once.
 * @throws answer_too_large
 */
export function takeOnce(entry: PublicEntry, field: string, bytes: number, budget: Budget): void {
  if (entry.origin.written === undefined) {
    budget.takeAnswer(bytes);
    return;
  }
  const shown = shownOnce.get(entry) ?? new Set<string>();
  shownOnce.set(entry, shown);
  if (shown.has(field)) budget.takeAnswer(bytes);
  shown.add(field);
}

/** An entry's fields with stubs for its references, which are followed once. */
function withStubs(entry: PublicEntry, budget: Budget): Promise<ShownFields> {
  const known = stubbedFields.get(entry);
  if (known) return known;
  const following = followStubs(entry, budget);
  stubbedFields.set(entry, following);
  return following;
}

/** An entry's fields with stubs for its references. An entry that was just written is shown in any case. */
async function followStubs(entry: PublicEntry, budget: Budget): Promise<ShownFields> {
  const { written } = entry.origin;
  const [{ fields }] =
    written === undefined
      ? await embedReferences([entry], stubsOnly, budget)
      : await embedReferences([{ ...entry, origin: { ...entry.origin, reader: written } }], stubsOnly, unlimitedBudget);
  return fields;
}

const bytesByValue = new WeakMap<object, number>();

/** The size of a value as JSON, in bytes: measured once for each object. */
export function countBytes(value: object): number {
  const bytes = bytesByValue.get(value) ?? Buffer.byteLength(JSON.stringify(value));
  bytesByValue.set(value, bytes);
  return bytes;
}

/** Shows a JSON object that is no entry's; null for null. @throws answer_too_large */
export function showObject(value: Readonly<Record<string, unknown>> | null, budget: Budget): ShownFields | null {
  if (value === null) return null;
  const shown = new ParsedFields(value);
  budget.takeAnswer(countBytes(shown));
  return shown;
}

/**
 * Some custom fields of an entry.
 * @throws bad_request for a name that the channel does not declare; too_complex, answer_too_large
 */
export async function showSome(entry: PublicEntry, names: readonly string[], budget: Budget): Promise<ShownFields> {
  const values = await pick(entry, names, budget);
  const shown = new ParsedFields(Object.fromEntries(values));
  take(entry, Buffer.byteLength(shown.json), budget);
  return shown;
}

/**
 * One custom field of an entry; null without a value.
 * @throws bad_request for a name that the channel does not declare; too_complex, answer_too_large
 */
export async function showValue(entry: PublicEntry, name: string, budget: Budget): Promise<unknown> {
  const [[, value] = [name, null]] = await pick(entry, [name], budget);
  take(entry, Buffer.byteLength(JSON.stringify(value)), budget);
  return value;
}

/** The named fields that an entry shows, with their values. References are followed only if one is named. */
async function pick(entry: PublicEntry, names: readonly string[], budget: Budget): Promise<[string, unknown][]> {
  const { channel, targets } = entry.origin;
  const { isFree, byName: declared } = compiledFields(channel);
  // A caller who updated an entry without being able to read it sees nothing but the sent values: not even which fields
  // exist.
  const isReadable = entry.titleFieldValue !== undefined;
  const unknown = isFree || !isReadable ? undefined : names.find((name) => !declared.has(name));
  if (unknown !== undefined) {
    const hint = didYouMean(nearestName(unknown, declared.keys()));
    fail('bad_request', `${JSON.stringify(unknown)} is not a field of the channel${hint}`);
  }
  const { values } = names.some((name) => targets.has(name)) ? await withStubs(entry, budget) : entry.fields;
  return names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]]] : []));
}

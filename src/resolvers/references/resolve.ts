// Resolves the references that a write sends to the ids of entries that the viewer may see (docs/contract.md §6).
// Missing and hidden entries get the same answer by the same statements, so that callers cannot probe for hidden ones.
import type { PromiseOrValue } from '../../base/promiseOrValue.ts';
import type { ReferableEntry } from '../../entries/sql/readReferences.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { wholeChannel } from '../../fields/narrowed.ts';
import { isListType, takesChannel } from '../../fields/types.ts';
import { currentForm, type DerivedValues, type Values } from '../../fields/stored.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { countError, readReferences, type ResolvedReference, type SentReferences } from '../../inputs/references.ts';
import type { EntryKey } from '../../rules/names.ts';
import type { OperationContext } from '../operation.ts';

/** A reference field that a payload sends. */
interface SentField {
  readonly definition: FieldDefinition;
  readonly sent: SentReferences;
  /** The present value of the entry's field: an id, a list of ids, or null. */
  readonly stored: unknown;
  /** The same ids in a list. */
  readonly held: readonly string[];
  readonly isNew: boolean;
  /** Whether the writer may read the field. */
  readonly isReadable: boolean;
}

/**
 * Resolves the reference fields that a payload sends, to the values to store: each id once, followed by the stored ids
 * that the writer may not see, so that writers cannot remove references that are hidden from them.
 * @param before the entry that is updated; null if it is new
 * @returns the value or the error of each field, by its name
 */
export function resolveReferences(
  values: Values,
  channel: Channel,
  before: DerivedValues | null,
  context: OperationContext,
): PromiseOrValue<ReadonlyMap<string, ResolvedReference>> {
  for (const { declaration } of compiledFields(channel).sent.values()) {
    const { name, type } = declaration.definition;
    if (takesChannel(type) && Object.hasOwn(values, name)) return resolveSent(values, channel, before, context);
  }
  return noReferences;
}

const noReferences: ReadonlyMap<string, never> = new Map<string, never>();

async function resolveSent(
  values: Values,
  channel: Channel,
  before: DerivedValues | null,
  context: OperationContext,
): Promise<ReadonlyMap<string, ResolvedReference>> {
  const resolved = new Map<string, ResolvedReference>();
  // A writer keeps the references that it may not see, those of fields that it may not read among them.
  const { takePatternWork } = context.admission.budget;
  const shown = before === null ? {} : currentForm(before, wholeChannel(channel), takePatternWork, channel).data;
  const fields: SentField[] = [];
  for (const { declaration, isReadable, writable } of compiledFields(channel).sent.values()) {
    const { definition } = declaration;
    const { name, type, required } = definition;
    if (!takesChannel(type) || !Object.hasOwn(values, name)) continue;
    // Null for a required field is refused with the other fields' errors (src/inputs/payload.ts).
    if (values[name] === null && required && writable === 'all') continue;
    const stored = Object.hasOwn(shown, name) ? shown[name] : null;
    const held = [stored ?? []].flat() as string[];
    const sent = readReferences(definition, values[name]);
    fields.push({ definition, sent, stored, held, isNew: before === null, isReadable });
  }
  for (const target of new Set(fields.map(({ definition }) => definition.channel))) {
    const ofTarget = fields.filter(({ definition }) => definition.channel === target);
    const found = await findReferred(target, ofTarget, context);
    for (const field of ofTarget) resolved.set(field.definition.name, resolveField(field, found));
  }
  return resolved;
}

/** Finds by one statement the entries of one channel that the fields name, and those that they hold already. */
async function findReferred(
  target: string | null,
  fields: readonly SentField[],
  context: OperationContext,
): Promise<readonly ReferableEntry[]> {
  const keys = fields.flatMap(({ sent }) => ('keys' in sent ? sent.keys : [])).filter((key) => key !== null);
  const held = fields.flatMap((field) => field.held);
  if (keys.length + held.length === 0) return [];
  const channel = await context.references.findTarget({ channel: target });
  return channel === null ? [] : context.services.db.entry.findReferable(channel, context.viewer, keys, held);
}

function resolveField(field: SentField, found: readonly ReferableEntry[]): ResolvedReference {
  const { definition, sent } = field;
  if ('error' in sent) return sent;
  const named = idsByName(found.filter(({ visible }) => visible));
  const ids = new Set<string>();
  for (const [index, key] of sent.keys.entries()) {
    const id = key === null ? undefined : named.get(nameKey(key));
    const at = isListType(definition.type) ? `${index}: ` : '';
    if (id === undefined) return { error: `${at}names no entry that this caller may refer to` };
    ids.add(id);
  }
  if (isUnchanged(field, [...ids], found)) return { value: field.stored };
  // An optional list without a value reads as an empty one, which can be sent back: the bounds are those of a value.
  const isNone = ids.size === 0 && !definition.required;
  const error = isNone ? undefined : countError(definition, [...ids]);
  return error === undefined ? { value: valueToStore(field, [...ids], found) } : { error };
}

/**
 * Whether an update sends exactly the ids that its writer sees, in their order. Then the stored value stays as it is,
 * and no bound refuses it: whether an update changes anything must not depend on hidden references. So null and an
 * empty list are the same, too. Of a field that the writer may not read no value is compared: an answer without a refusal by
 * the bounds would show which ids are stored.
 */
function isUnchanged(
  { held, isNew, isReadable }: SentField,
  sent: readonly string[],
  found: readonly ReferableEntry[],
): boolean {
  if (isNew || !isReadable) return false;
  const seen = new Set(found.filter(({ visible }) => visible).map(({ id }) => id));
  return sent.join() === held.filter((id) => seen.has(id)).join();
}

/** The value to store: the sent ids, and behind them the stored ones that the writer may not see. */
function valueToStore(
  { definition: { type }, held }: SentField,
  sent: readonly string[],
  found: readonly ReferableEntry[],
): unknown {
  const hidden = new Set(found.filter(({ visible }) => !visible).map(({ id }) => id));
  const ids = [...sent, ...held.filter((id) => hidden.has(id))];
  return isListType(type) && ids.length > 0 ? ids : (ids[0] ?? null);
}

function idsByName(entries: readonly ReferableEntry[]): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap(({ id, shortId, slug }) => [
      [nameKey({ by: 'id', value: id }), id] as const,
      [nameKey({ by: 'shortId', value: shortId }), id] as const,
      [nameKey({ by: 'slug', value: slug }), id] as const,
    ]),
  );
}

function nameKey({ by, value }: EntryKey): string {
  return `${by} ${value}`;
}

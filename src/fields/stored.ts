// How an entry's values are stored: what is shown of them, and what is kept besides so that nothing is lost (docs/contract.md §6).
import type { Channel } from '../generated/prisma/client.ts';
import { fieldsOf } from './values.ts';

/** Custom fields by name. */
export type Values = Readonly<Record<string, unknown>>;

/** An entry's values as they are stored. */
export interface StoredValues {
  /** As they are shown: filters, sorts and searches look at these alone. */
  readonly data: Values;
  /** What was stored and `data` does not hold so: of fields that were removed, or that it does not fit any more. */
  readonly kept: Values;
}

/** All values that an entry was given, as they were given. */
export function givenValues({ data, kept }: StoredValues): Values {
  return Object.keys(kept).length === 0 ? data : { ...data, ...kept };
}

/** The stored form of an entry's values under its channel's fields. */
export function storedForm(given: Values, channel: Pick<Channel, 'fields'>): StoredValues {
  const declared = fieldsOf(channel);
  if (declared.size === 0) return { data: given, kept: {} };
  const data: [string, unknown][] = [];
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const shown = asJson(declared.get(name)?.value.safeParse(value).data);
    if (shown !== undefined) data.push([name, shown]);
    if (shown === undefined || JSON.stringify(shown) !== JSON.stringify(value)) kept.push([name, value]);
  }
  return { data: Object.fromEntries(data), kept: Object.fromEntries(kept) };
}

/** A value as JSON has it when it is read back. */
function asJson(value: unknown): unknown {
  return value === undefined || typeof value !== 'object' ? value : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** What an entry has, and for which version of its channel's fields that was derived. */
export type DerivedValues = StoredValues & { readonly fieldsVersion: number };

/** The values that an entry shows under its channel's fields, though it may have been stored under others. */
export function shownValues(entry: DerivedValues, channel: Pick<Channel, 'fields' | 'fieldsVersion'>): Values {
  if (entry.fieldsVersion === channel.fieldsVersion) return entry.data;
  return storedForm(givenValues(entry), channel).data;
}

/** An entry's custom fields as answers have them: in the channel's order, null for a value that does not fit its field. */
export function presentedValues(entry: DerivedValues, channel: Pick<Channel, 'fields' | 'fieldsVersion'>): Values {
  const shown = shownValues(entry, channel);
  const declared = fieldsOf(channel);
  if (declared.size === 0) return shown;
  const names = [...declared.keys()].filter((name) => Object.hasOwn(shown, name) || isGiven(entry, name));
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(shown, name) ? shown[name] : null]));
}

function isGiven({ data, kept }: StoredValues, name: string): boolean {
  return Object.hasOwn(data, name) || Object.hasOwn(kept, name);
}

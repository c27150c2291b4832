// The values of declared fields as the schema of a site shows them, and as it takes them.
import type { Budget } from '../../../admission/budget.ts';
import type { FieldDefinition } from '../../../fields/definition.ts';
import type { FieldType } from '../../../fields/types.ts';
import { emptyValue } from '../../../fields/types.ts';
import { isObject } from '../../../inputs/json.ts';
import type { PublicEntry } from '../../../serializers/entry.ts';
import { takeOnce } from '../../../graphql/entryFields.ts';

/** Shows a field of an entry, in JSON. @throws answer_too_large */
type ShowMember = (entry: PublicEntry, budget: Budget) => string;

/**
 * Makes what shows a field. Values go from the database to the response as JSON text, where they can. One that does not fit the
 * field's definition counts as absent: the channel may have changed since the schema was chosen for the request.
 */
export function showMember(definition: FieldDefinition): ShowMember {
  const { name, type } = definition;
  const fits = jsonTest(definition);
  const empty = JSON.stringify(emptyValue(type));
  return (entry, budget) => {
    const json = entry.fields.member(name);
    const shown = json !== undefined && json !== 'null' && fits(json) ? json : empty;
    takeOnce(entry, name, Buffer.byteLength(shown), budget);
    return shown;
  };
}

/** Whether a value can be shown, by its JSON. */
type JsonTest = (json: string) => boolean;

const isText: JsonTest = (json) => json.startsWith('"');
const isObjectText: JsonTest = (json) => json.startsWith('{');

/** By type: whether a value can be shown; texts where it is not said. */
const tests: Partial<Record<FieldType, JsonTest>> = {
  integer: (json) => /^-?\d{1,15}$/.test(json) || Number.isSafeInteger(JSON.parse(json)),
  float: (json) => /^[-\d]/.test(json),
  boolean: (json) => json === 'true' || json === 'false',
  json: () => true,
  strings: listTest((item) => typeof item === 'string'),
  geo: isObjectText,
  file: isObjectText,
};

function jsonTest({ type, options }: FieldDefinition): JsonTest {
  if (options === null) return tests[type] ?? isText;
  const known: ReadonlySet<unknown> = new Set(options);
  if (type === 'multi_select') return listTest((item) => known.has(item));
  const texts = new Set(options.map((option) => JSON.stringify(option)));
  return (json) => texts.has(json);
}

function listTest(test: (item: unknown) => boolean): JsonTest {
  return (json) => {
    const value: unknown = json.startsWith('[') ? JSON.parse(json) : null;
    return Array.isArray(value) && value.every(test);
  };
}

/** A value as the service takes it: a file by its names in REST, without what is null. */
export function sentValue({ type }: FieldDefinition, value: unknown): unknown {
  if (type !== 'file' || !isObject(value)) return value;
  const { contentType, ...rest } = value;
  const members = Object.entries({ ...rest, content_type: contentType });
  return Object.fromEntries(members.filter(([, member]) => member !== null && member !== undefined));
}

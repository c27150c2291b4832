// The values of declared fields as the schema of a site shows them, and as it takes them.
import type { Budget } from '../../budget.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { FieldType } from '../../fields/types.ts';
import { emptyValue } from '../../fields/types.ts';
import { isObject } from '../../inputs/json.ts';
import type { PublicEntry } from '../../serializers/entry.ts';
import { countBytes, takeOnce } from '../entryFields.ts';

/** Reads a field of an entry. */
type ReadValue = (entry: PublicEntry, budget: Budget) => unknown;

/**
 * Makes what reads a field. A value that does not fit the field's definition counts as absent: the channel may have changed
 * since the schema was chosen for the request.
 */
export function readValue(definition: FieldDefinition): ReadValue {
  const { name, type } = definition;
  const fits = valueTest(definition);
  const empty = emptyValue(type);
  return (entry, budget) => {
    const { values } = entry.fields;
    const value = Object.hasOwn(values, name) ? values[name] : null;
    const isShown = value !== null && value !== undefined && fits(value);
    takeOnce(entry, name, isShown ? bytesIn(value) : 'null'.length, budget);
    return isShown ? value : empty;
  };
}

/** About how many bytes a number or a boolean takes. */
const scalarBytes = 8;

function bytesIn(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + '""'.length;
  return typeof value === 'object' && value !== null ? countBytes(value) : scalarBytes;
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** By type: whether a value can be shown; texts where it is not said. */
const tests: Partial<Record<FieldType, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  float: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  json: () => true,
  strings: (value) => Array.isArray(value) && value.every(isText),
  geo: isObject,
  file: isObject,
};

function valueTest({ type, options }: FieldDefinition): (value: unknown) => boolean {
  const test = tests[type] ?? isText;
  if (options === null) return test;
  const known: ReadonlySet<unknown> = new Set(options);
  if (type === 'select') return (value) => known.has(value);
  return (value) => Array.isArray(value) && value.every((each) => known.has(each));
}

/** A value as the service takes it: a file by its names in REST, without what is null. */
export function sentValue({ type }: FieldDefinition, value: unknown): unknown {
  if (type !== 'file' || !isObject(value)) return value;
  const { contentType, ...rest } = value;
  const members = Object.entries({ ...rest, content_type: contentType });
  return Object.fromEntries(members.filter(([, member]) => member !== null && member !== undefined));
}

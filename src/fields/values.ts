// Checks a field's values: by the schema of its type with the bounds of the field, then by its pattern.
import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import type { FieldDefinition } from './definition.ts';
import { matchesPattern, type TakeWork } from './patterns.ts';
import { countCharacters } from './text.ts';
import { fieldTypes, takesChannel } from './types.ts';

/**
 * Makes the schema of a field's values other than null, which stands for no value. Its output is stored if it matches
 * the field's pattern.
 */
export function valueSchema(definition: FieldDefinition): z.ZodType {
  const { type } = definition;
  const schema = fieldTypes[type].values(definition);
  // Bounds of references are checked when an entry is written, and count only the entries that the writer may see.
  return takesChannel(type) ? schema : withValueBounds(definition, schema);
}

/**
 * Checks a value other than null. The pattern is tried only on a text that is within the bounds.
 * @param field the field, with its `valueSchema`
 * @param takeWork takes the work of its pattern
 * @returns the result of zod
 * @throws too_complex
 */
export function checkValue(
  { definition, value: schema }: { readonly definition: FieldDefinition; readonly value: z.ZodType },
  value: unknown,
  takeWork: TakeWork,
): z.ZodSafeParseResult<unknown> {
  const result = schema.safeParse(value);
  if (!result.success || definition.pattern === null) return result;
  const message = patternError(definition, String(result.data), takeWork);
  if (message === null) return result;
  return { success: false, error: new z.ZodError([{ code: 'custom', path: [], message, input: value }]) };
}

/**
 * Describes the mismatch of a text with the field's pattern; null if it matches. A stored pattern may be larger than
 * those that can be declared now.
 */
function patternError({ type, pattern, message }: FieldDefinition, text: string, takeWork: TakeWork): string | null {
  try {
    if (matchesPattern(pattern ?? '', text, takeWork)) return null;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return `cannot be checked, because the ${type} field's pattern is too large: a smaller one must be declared`;
  }
  return message ?? `must match the ${type} field's pattern ${JSON.stringify(pattern)}`;
}

/** Makes the schema of a list whose number of items is within a field's bounds; the items may be anything. */
export function itemsSchema(definition: FieldDefinition): z.ZodType {
  return withValueBounds(definition, z.array(z.unknown()));
}

function withValueBounds({ type, min, max }: FieldDefinition, schema: z.ZodType): z.ZodType {
  const { measure } = fieldTypes[type];
  if (measure === null || (min === null && max === null)) return schema;
  const bounds = describeBounds(min, max);
  return schema.refine(
    (value) => {
      const size = measureValue(value);
      return size >= (min ?? -Infinity) && size <= (max ?? Infinity);
    },
    measure === 'value' ? `must be ${bounds}` : `must have ${bounds} ${measure}`,
  );
}

function describeBounds(min: number | null, max: number | null): string {
  if (min === null) return `at most ${max}`;
  return max === null ? `at least ${min}` : `between ${min} and ${max}`;
}

/** Measures the quantity that bounds apply to: a number itself, the characters of a text, or the items of a list. */
function measureValue(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? countCharacters(value) : Array.isArray(value) ? value.length : NaN;
}

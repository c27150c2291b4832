// The schema of a field's values: that of its type, with the bounds and the pattern that it is declared with.
import { RE2JS } from 're2js';
import { z } from 'zod';
import type { FieldDefinition } from './definition.ts';
import { countCharacters } from './text.ts';
import { fieldTypes, takesChannel } from './types.ts';

/**
 * The schema of a field's values other than null, which stands for no value. Its output is what is stored.
 * @throws Error where the pattern is not a regular expression
 */
export function valueSchema(definition: FieldDefinition): z.ZodType {
  const { type, pattern } = definition;
  const schema = fieldTypes[type].values(definition);
  // The bounds of references are checked when an entry is written, against the targets that its writer can see.
  const bounded = takesChannel(type) ? schema : withBounds(definition, schema);
  if (pattern === null) return bounded;
  const compiled = compilePattern(pattern);
  return bounded.refine(
    (value) => compiled.test(String(value)),
    `must match the ${type} field's pattern ${JSON.stringify(pattern)}`,
  );
}

/** The schema of a list that has as many items as a field's bounds allow, whatever they are. */
export function itemsSchema(definition: FieldDefinition): z.ZodType {
  return withBounds(definition, z.array(z.unknown()));
}

/**
 * Compiles a regular expression of RE2's syntax. Its time grows only with the length of the text and of the pattern, so
 * that no pattern can keep the process busy.
 * @throws Error where the pattern is not one
 */
export function compilePattern(pattern: string): { test: (text: string) => boolean } {
  const compiled = RE2JS.compile(pattern);
  return { test: (value) => compiled.matcher(value).find() };
}

function withBounds({ type, min, max }: FieldDefinition, schema: z.ZodType): z.ZodType {
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

/** What bounds apply to in a value: a number itself, the characters of a text, the items of a list. */
function measureValue(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? countCharacters(value) : Array.isArray(value) ? value.length : NaN;
}

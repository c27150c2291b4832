// The schema of a field's values: the schema of its type, with the bounds and the pattern of the field.
import { RE2JS } from 're2js';
import { z } from 'zod';
import type { FieldDefinition } from './definition.ts';
import { countCharacters } from './text.ts';
import { fieldTypes, takesChannel } from './types.ts';

/**
 * Makes the schema of a field's values other than null, which means that there is no value. Its output is what is stored.
 * @throws Error if the pattern is not a regular expression
 */
export function valueSchema(definition: FieldDefinition): z.ZodType {
  const { type, pattern } = definition;
  const schema = fieldTypes[type].values(definition);
  // The bounds of references are checked when an entry is written, and count only the targets that the writer may see.
  const bounded = takesChannel(type) ? schema : withBounds(definition, schema);
  if (pattern === null) return bounded;
  const compiled = compilePattern(pattern);
  return bounded.refine(
    (value) => compiled.test(String(value)),
    `must match the ${type} field's pattern ${JSON.stringify(pattern)}`,
  );
}

/** Makes the schema of a list whose number of items is within a field's bounds; the items may be anything. */
export function itemsSchema(definition: FieldDefinition): z.ZodType {
  return withBounds(definition, z.array(z.unknown()));
}

/**
 * Compiles a regular expression in RE2's syntax. RE2 matches in time linear in the text, so that no pattern can block the
 * process. `test` returns whether some part of a text matches.
 * @throws Error if the pattern is not a regular expression
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

/** What the bounds of a value apply to: a number itself, the number of characters of a text or of items of a list. */
function measureValue(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? countCharacters(value) : Array.isArray(value) ? value.length : NaN;
}

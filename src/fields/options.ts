// Matches texts with the options of a select.
import { z } from 'zod';
import { inNfc } from './text.ts';

/** Finds the declared option that equals a text in Unicode normalization form C; undefined if there is none. */
export function findOption(options: readonly string[], text: string): string | undefined {
  const normalized = inNfc(text);
  // Options declared under an older release may be stored in another form.
  return options.includes(normalized) ? normalized : options.find((option) => inNfc(option) === normalized);
}

/** Makes the schema of an option of a select. */
export function optionValue(options: readonly string[] | null): z.ZodType {
  return z
    .string('must be text')
    .overwrite((text) => findOption(options ?? [], text) ?? text)
    .refine((value) => options?.includes(value) === true, 'must be one of the options');
}

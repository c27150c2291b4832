// The options of a select: which one a text names.
import { z } from 'zod';
import { inNfc } from './text.ts';

/** The option that a text names, in either normalization form, as it is declared; undefined where there is none. */
export function findOption(options: readonly string[], text: string): string | undefined {
  const normalized = inNfc(text);
  // Options that were declared by a release before may have another form.
  return options.includes(normalized) ? normalized : options.find((option) => inNfc(option) === normalized);
}

/** Makes the schema of an option of a select. */
export function optionValue(options: readonly string[] | null): z.ZodType {
  return z
    .string('must be text')
    .overwrite((text) => findOption(options ?? [], text) ?? text)
    .refine((value) => options?.includes(value) === true, 'must be one of the options');
}

// Turns zod's issues into the errors that callers get.
import type { z } from 'zod';
import { failValidation, type FieldError } from '../base/errors.ts';
import { didYouMean, nearestName } from '../base/nearestName.ts';
import { unstorableNumber } from './json.ts';

/**
 * The output of a schema for an input that fits it.
 * @throws validation_failed with every error of the input, each by the name of the member that it is in
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  return result.success ? result.data : failValidation(listErrors(result));
}

/**
 * The errors of an input by the members that they are in; none where the input fits.
 * @param field the name of the member, where the input is a single one
 */
export function listErrors(result: z.ZodSafeParseResult<unknown>, field?: string): FieldError[] {
  return (result.error?.issues ?? []).map((issue) => {
    const code = codeOf(issue);
    const { path } = issue;
    const message = code === 'out_of_range' ? unstorableNumber : issue.message;
    const [name, ...inside] = field === undefined ? path : [field, ...path];
    const where = inside.length > 0 ? `${inside.join('.')}: ` : '';
    return { field: String(name), code, message: where + message };
  });
}

/** The code of an issue: that of its parameters, where the schema gives one, or that of a number which cannot be stored. */
function codeOf(issue: z.core.$ZodIssue): FieldError['code'] {
  if (issue.input === Infinity || issue.input === -Infinity) return 'out_of_range';
  return issue.code === 'custom' && issue.params?.['code'] === 'out_of_range' ? 'out_of_range' : 'invalid';
}

/** The first unknown members of an input are compared with the known ones, and no more, so that many of them cost no time. */
const maxCompared = 3;

/**
 * The error of a member that there is not, with the nearest one that there is.
 * @param known what the caller may be told of
 * @param before how many errors come before this one
 */
export function unknownField(field: string, problem: string, known: readonly string[], before: number): FieldError {
  const hint = before < maxCompared ? didYouMean(nearestName(field, known), '') : '';
  return { field, code: 'unknown_field', message: problem + hint };
}

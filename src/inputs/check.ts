// Converts zod's issues to the errors that callers get.
import type { z } from 'zod';
import { failValidation, type FieldError } from '../base/errors.ts';
import { didYouMean, nearestName } from '../base/nearestName.ts';
import { unstorableNumber } from './json.ts';

/**
 * Parses an input with a schema.
 * @throws validation_failed with every error of the input, each under the name of its member
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  return result.success ? result.data : failValidation(listErrors(result));
}

/**
 * Lists the errors of an input under the names of their members; empty if the input is valid.
 * @param field the name of the member, if the input is a single one
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

/** The code of an issue: from its parameters, if the schema sets one, or that of a number that cannot be stored. */
function codeOf(issue: z.core.$ZodIssue): FieldError['code'] {
  if (issue.input === Infinity || issue.input === -Infinity) return 'out_of_range';
  const code: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  return code === 'out_of_range' || code === 'too_large' || code === 'invalid_rule' ? code : 'invalid';
}

/** Only the first unknown members of an input are compared with the known ones, so that many of them cost no time. */
const maxCompared = 3;

/**
 * Makes the error of an unknown member, with the nearest known name.
 * @param knownNames the names that the caller may learn
 * @param before the number of errors before this one
 */
export function unknownField(
  field: string,
  problem: string,
  knownNames: readonly string[],
  before: number,
): FieldError {
  const hint = before < maxCompared ? didYouMean(nearestName(field, knownNames), '') : '';
  return { field, code: 'unknown_field', message: problem + hint };
}

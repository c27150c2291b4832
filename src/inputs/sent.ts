// Checks inputs of management operations: GraphQL's input, whose types were checked, or the body of a REST request,
// which is unchecked. Both fit the same schema, and an error names a member as its sender does.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { fail, failValidation, type FieldError } from '../base/errors.ts';
import { listErrors, parseInput, unknownField } from './check.ts';
import { isObject } from './json.ts';

/** The body of a REST request: a JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/** With `merges` the body is a merge patch (RFC 7396). */
export type Sent<Input> = { readonly input: Input } | { readonly body: Body; readonly merges?: boolean };

/** @throws bad_request for a body that is not an object */
export function readBody(body: unknown): Body {
  return isObject(body) ? body : fail('bad_request', 'The body must be a JSON object.');
}

/** The differences between the members of a body and those of the schema. */
interface BodyMembers {
  /** The name in REST by the name in the schema, where they differ. */
  readonly names?: Readonly<Record<string, string>>;
  /** Whether the names in the schema are accepted, too: they are the older names in REST. */
  readonly takesOlderNames?: boolean;
  /** Members of answers that cannot be set. They are ignored, so that an answer can be sent back. */
  readonly readOnly?: readonly string[];
}

/**
 * Parses an input with a schema.
 * @throws validation_failed with every error, each under the sender's name of its member; `unknown_field` for a member
 * of a body that the schema does not have
 */
export function parseSent<Schema extends z.ZodObject>(
  schema: Schema,
  sent: Sent<unknown>,
  { names = {}, takesOlderNames = false, readOnly = [] }: BodyMembers = {},
): z.output<Schema> {
  if ('input' in sent) return parseInput(schema, sent.input);
  const { body } = sent;
  const older = takesOlderNames ? Object.entries(names) : [];
  const sentOlder = new Set(older.flatMap(([old, name]) => (isOnly(old, name, body) ? [old] : [])));
  const nameOf = (member: string): string => (sentOlder.has(member) ? member : (names[member] ?? member));
  const members = Object.keys(schema.shape).filter((member) => Object.hasOwn(body, nameOf(member)));
  const result = schema.safeParse(Object.fromEntries(members.map((member) => [member, body[nameOf(member)]])), {
    reportInput: true,
  });
  const knownNames = Object.keys(schema.shape).map((member) => names[member] ?? member);
  const errors = [
    ...findUnknown(body, knownNames, [...readOnly, ...older.map(([old]) => old)]),
    ...findContradictions(body, older),
    ...listErrors(result).map((error) => ({ ...error, field: nameOf(error.field) })),
  ];
  return result.success && errors.length === 0 ? result.data : failValidation(errors);
}

/** Whether a body has a member under its older name alone. */
function isOnly(older: string, name: string, body: Body): boolean {
  return Object.hasOwn(body, older) && !Object.hasOwn(body, name);
}

/** Reports the members that a body has under both of their names, with different values. */
function findContradictions(body: Body, older: readonly (readonly [older: string, name: string])[]): FieldError[] {
  return older.flatMap(([old, name]) => {
    const isBoth = Object.hasOwn(body, old) && Object.hasOwn(body, name);
    if (!isBoth || isDeepStrictEqual(body[old], body[name])) return [];
    const message = `differs from "${old}", which is an older name of "${name}": send one of them`;
    return [{ field: name, code: 'contradiction', message }];
  });
}

function findUnknown(body: Body, knownNames: readonly string[], readOnly: readonly string[]): FieldError[] {
  const unknown = Object.keys(body).filter((name) => !knownNames.includes(name) && !readOnly.includes(name));
  return unknown.map((field, index) => unknownField(field, 'is not a member that can be set', knownNames, index));
}

/** Extends a schema of words in lower case to accept upper case, as GraphQL spells them. */
export function inEitherCase<Schema extends z.ZodType>(schema: Schema): z.ZodPreprocess<Schema> {
  return z.preprocess((value) => (typeof value === 'string' ? value.toLowerCase() : value), schema);
}

/** The message of a schema for a value of a wrong type. @param expected the expected type, such as `text` */
export function wrongType(expected: string): { error: (issue: z.core.$ZodRawIssue) => string | undefined } {
  const error = ({ code, input }: z.core.$ZodRawIssue): string | undefined => {
    if (code !== 'invalid_type') return undefined;
    return input === null ? 'must not be null' : `must be ${expected}`;
  };
  return { error };
}

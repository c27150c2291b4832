// Holds the query of a request to the parameters that an OpenAPI document describes. Pure.
import { findMember } from '../../../src/entries/members.ts';
import { isOperator } from '../../../src/inputs/lists/filter.ts';
import { parseCommaList } from '../../../src/inputs/lists/filterParameters.ts';

export type Json = Record<string, unknown>;

/** What is wrong with a value, in words. */
export type Validate = (schema: unknown, value: unknown, what: string) => string[];

interface QueryScope {
  readonly validate: Validate;
  /** The schemas of the channel's entries, and of the paths of its references. */
  readonly own: { readonly entry: Json | undefined; readonly include: Json | undefined };
}

/** What is wrong with a query. @param described its parameters */
export function queryFindings(described: readonly Json[], query: URLSearchParams, scope: QueryScope): string[] {
  const byName = new Map(described.map((each) => [String(each['name']), each] as const));
  return [...query].flatMap(([name, value]) => {
    // The operator for equality may be named, too.
    const parameter = byName.get(name) ?? byName.get(name.replace(/\.eq$/, ''));
    if (parameter !== undefined) return valueFindings(parameter, value, name, scope);
    return isLeftToWhere(name, byName, scope) ? [] : [`the parameter ${name} is not described`];
  });
}

function valueFindings({ style, schema }: Json, text: string, name: string, { validate }: QueryScope): string[] {
  const what = `the parameter ${name}`;
  if (style === 'form') return validate(schema, listValues(schema, text), what);
  const word = text.toLowerCase();
  const booleans = word === 'true' || word === 'false' ? [word === 'true'] : [];
  const findings = [typed(schema, text), text, ...booleans].map((each) => validate(schema, each, what));
  return findings.find((each) => each.length === 0) ?? findings[0] ?? [];
}

/**
 * Whether a comparison is one that a document leaves to `where`: by a field of a channel that declares none, by a fixed member
 * with an operator that hardly tells entries apart, or by more than is described of the entry that a reference leads to.
 */
function isLeftToWhere(name: string, described: ReadonlyMap<string, Json>, { validate, own }: QueryScope): boolean {
  if (!described.has('where')) return false;
  if (own.entry?.['additionalProperties'] === true) return true;
  const [field = '', operator] = name.split('.');
  if (operator === undefined) return false;
  if (findMember(field) !== null)
    return isOperator(operator) && (described.has(field) || described.has(`${field}.exists`));
  return own.include !== undefined && validate(own.include, field, 'the field').length === 0;
}

/** The values of a comma list, each as the type of its schema. */
function listValues(schema: unknown, text: string): unknown[] {
  const { items } = schema as { items?: { type?: unknown } };
  return parseCommaList('', text).map((each) =>
    items?.type === 'boolean' ? each.toLowerCase() === 'true' : typed(items, each),
  );
}

/** A text as its schema's type. */
export function typed(schema: unknown, text: string): unknown {
  const { type } = schema as { type?: unknown };
  return (type === 'integer' || type === 'number') && /^-?\.?\d/.test(text) ? Number(text) : text;
}

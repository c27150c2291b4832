// The names by which a list's parameters compare the entries of a channel, for the description of the REST interface
// (docs/contract.md §5.13).
import { comparableField } from '../entries/comparable.ts';
import { compiledFields } from '../fields/compiled.ts';
import type { JsonSchema } from '../fields/jsonSchema.ts';
import type { ComparisonKind } from '../fields/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { operatorsByKind, operatorsOfReferences } from './operators.ts';
import { fieldNames } from './fieldNames.ts';
import type { Operator } from './filter.ts';

/** A field that parameters compare, with the operators that fit it. */
export interface FilterName {
  readonly name: string;
  readonly operators: readonly Operator[];
  /** The schema of the text that a value is compared with, read by the field's type. */
  readonly value: JsonSchema;
  /** The texts that its values can be; null where they are not a closed set. */
  readonly options: readonly string[] | null;
  /** Whether it is a reference, through which the fields of other entries are compared. */
  readonly isReference: boolean;
}

const valueSchemas: Readonly<Record<ComparisonKind, JsonSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
  list: { type: 'string' },
  any: { type: 'string' },
  opaque: { type: 'string' },
};

/**
 * The fields that a list's parameters may name, fixed members first.
 * @param mayReadPrivate whether the caller may read `_owner` and `_acl` of every entry
 */
export function filterNames(channel: Pick<Channel, 'fields'>, mayReadPrivate: boolean): FilterName[] {
  const { references } = compiledFields(channel);
  return fieldNames(channel, mayReadPrivate).flatMap((name): FilterName[] => {
    if (references.has(name)) {
      const value = { type: 'string' };
      return [{ name, operators: operatorsOfReferences, value, options: null, isReference: true }];
    }
    const field = comparableField(name, channel, mayReadPrivate);
    if (field === null) return [];
    const { kind, options } = field;
    // Values without an order are compared as JSON, which `where` alone can hold.
    const operators = kind === 'opaque' ? (['exists'] as const) : operatorsByKind[kind];
    return [{ name, operators, value: valueSchemas[kind], options, isReference: false }];
  });
}

/** What an operator compares with, in the text of a URL. */
export function operandSchema(operator: Operator, { value }: FilterName): JsonSchema {
  if (operator === 'exists') return { type: 'boolean' };
  // A comma list.
  return operator === 'in' || operator === 'nin' || operator === 'all' ? { type: 'string' } : value;
}

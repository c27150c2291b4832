// The comparisons of a list that are separate parameters in the description of the REST interface (docs/contract.md
// §5.13, §11.1): the name of each, and the schema of its value.
import { members, type MemberForm } from '../../../entries/members.ts';
import { compiledFields } from '../../../fields/compiled.ts';
import type { FieldDefinition } from '../../../fields/definition.ts';
import type { JsonSchema } from '../../../fields/jsonSchema.ts';
import type { ComparisonKind } from '../../../fields/shape.ts';
import { fieldTypes, takesChannel } from '../../../fields/types.ts';
import type { Channel } from '../../../generated/prisma/client.ts';
import { allStatuses } from '../../../rules/publication.ts';
import { comparedMembers } from '../../../inputs/lists/fieldNames.ts';
import type { Operator } from '../../../inputs/lists/filter.ts';
import { operatorsByKind, operatorsOfReferences, ranges, searches } from '../../../inputs/lists/operators.ts';

/** A comparison as it is sent: `year.gte=1990`. */
export interface FilterParameter {
  readonly name: string;
  /** The schema of a value. */
  readonly value: JsonSchema;
  /** Whether its value is a comma list. */
  readonly isList: boolean;
}

const text = { type: 'string' };
const valueSchemas: Readonly<Record<ComparisonKind, JsonSchema>> = {
  text,
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
  list: text,
  any: text,
  opaque: text,
};

const equalities = ['eq', 'ne', 'in', 'nin'] as const;

/** The operators of fixed members that are described: those that distinguish entries. The others are accepted, too. */
const operatorsByForm: Readonly<Record<MemberForm, readonly Operator[]>> = {
  uuid: equalities,
  url: equalities,
  handleOrNull: equalities,
  status: equalities,
  text: [...equalities, ...searches],
  textOrNull: [...equalities, 'exists', ...searches],
  time: ['eq', ...ranges],
  timeOrNull: ['eq', 'exists', ...ranges],
  accessList: ['exists'],
};

/**
 * The comparisons by fixed members, which every channel has.
 * @param mayReadPrivate whether the caller may compare `_owner` and `_acl`
 */
export function memberFilters(mayReadPrivate: boolean): FilterParameter[] {
  return comparedMembers(mayReadPrivate).flatMap(({ name, rest, kind }) => {
    const { form } = members[name];
    // Letter case does not matter for the status.
    const value = form === 'status' ? { ...text, examples: allStatuses } : valueSchemas[kind];
    return operatorsByForm[form].map((operator) => parameter(rest, operator, value));
  });
}

/** The comparisons by the fields that a channel declares, each by every operator of its type. */
export function fieldFilters(channel: Pick<Channel, 'fields'>): FilterParameter[] {
  return compiledFields(channel).definitions.flatMap((field) => {
    const value = valueSchema(field);
    return operatorsOf(field).map((operator) => parameter(field.name, operator, value));
  });
}

/** The operators that are described for comparisons through a reference. */
const operatorsThroughReference: Readonly<Record<ComparisonKind, readonly Operator[]>> = {
  text: ['eq', 'in', 'contains'],
  number: ['eq', 'in', ...ranges],
  date: ['eq', 'in', ...ranges],
  time: ['eq', 'in', ...ranges],
  boolean: ['eq'],
  list: ['eq', 'in'],
  any: ['eq'],
  opaque: [],
};

/** The comparisons by the fields of a referenced channel. None reaches through two references. */
export function reachedFilters(channel: Pick<Channel, 'fields'>): FilterParameter[] {
  const { definitions, references } = compiledFields(channel);
  return definitions.flatMap((field) => {
    if (references.has(field.name)) return [];
    const value = valueSchema(field);
    return reachedOperators(field).map((operator) => parameter(field.name, operator, value));
  });
}

/** Counts the comparisons by the fields of a channel: all, those for equality, and those through a reference to it. */
export function countFilters(channel: Pick<Channel, 'fields'>): { own: number; equal: number; reached: number } {
  const { definitions, references } = compiledFields(channel);
  const counts = { own: 0, equal: 0, reached: 0 };
  for (const field of definitions) {
    const operators = operatorsOf(field);
    counts.own += operators.length;
    if (operators.includes('eq')) counts.equal += 1;
    if (!references.has(field.name)) counts.reached += reachedOperators(field).length;
  }
  return counts;
}

function reachedOperators({ type }: FieldDefinition): readonly Operator[] {
  return operatorsThroughReference[fieldTypes[type].comparison];
}

function operatorsOf({ type }: FieldDefinition): readonly Operator[] {
  if (takesChannel(type)) return operatorsOfReferences;
  const { comparison } = fieldTypes[type];
  // Values without an order are compared as JSON, for which only `where` has room.
  return comparison === 'opaque' ? ['exists'] : operatorsByKind[comparison];
}

function valueSchema({ type, options }: FieldDefinition): JsonSchema {
  return options === null ? valueSchemas[fieldTypes[type].comparison] : { enum: options };
}

/** A comparison; for equality its name has no operator. */
function parameter(field: string, operator: Operator, value: JsonSchema): FilterParameter {
  return {
    name: operator === 'eq' ? field : `${field}.${operator}`,
    value: operator === 'exists' ? { type: 'boolean' } : value,
    isList: operator === 'in' || operator === 'nin' || operator === 'all',
  };
}

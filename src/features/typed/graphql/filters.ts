// The inputs of filters and sort orders in the schema of a site, and their translation to the operations: the same
// comparisons and keys as `EntryFilter` and `sort` of the static schema.
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLString,
  type GraphQLEnumValueConfig,
  type GraphQLInputFieldConfig,
  type GraphQLInputType,
  type GraphQLScalarType,
} from 'graphql';
import type { FieldDefinition } from '../../../fields/definition.ts';
import type { ComparisonKind } from '../../../fields/shape.ts';
import { fieldTypes, takesChannel, type FieldType } from '../../../fields/types.ts';
import { operatorsByKind, operatorsOfReferences } from '../../../inputs/lists/operators.ts';
import { comparedMembers, type ComparedMember } from '../../../inputs/lists/fieldNames.ts';
import type { Operator } from '../../../inputs/lists/filter.ts';
import { sortableNames } from '../../../inputs/lists/sort.ts';
import { conditionInput } from '../../../graphql/conditions.ts';
import { definitionsIn, listOf, valueTypes, type SiteTypes, type TypedChannel } from './channelTypes.ts';
import type { ValueTypes } from './commonTypes.ts';
import { camelCase, claimName, describeClaimed } from './names.ts';

type InputFields = Record<string, GraphQLInputFieldConfig>;

/** A field that can be compared. */
export interface ComparedField {
  /** Its name in the schema. */
  readonly name: string;
  /** Its name in operations. */
  readonly rest: string;
  readonly type: GraphQLInputType;
  readonly description: string;
  /** The declared field; null for a member that every entry has. */
  readonly definition: FieldDefinition | null;
}

/** The name of an operator in an input. */
export function nameOperator(operator: Operator, kind: ComparisonKind | 'reference'): string {
  return kind === 'list' && operator === 'eq' ? 'has' : camelCase(operator);
}

/** The type of an operand. */
type Operand = ValueTypes['input'];

/** The input of the comparisons of a kind of values. It is made once, and named after the type of the values. */
function comparisonInput(
  kind: ComparisonKind,
  operand: Operand,
  { comparisons, counted }: SiteTypes,
  typeName: string,
): GraphQLInputObjectType {
  const name = `${typeName}${kind === 'list' ? 'List' : ''}Filter`;
  const existing = comparisons.get(name);
  if (existing) return existing;
  const input = new GraphQLInputObjectType({
    name,
    description: 'Comparisons with a value. All that are sent must be true.',
    ...conditionInput,
    fields: counted(() =>
      Object.fromEntries(
        operatorsByKind[kind].map((operator) => [
          nameOperator(operator, kind),
          { type: operandType(operator, operand), description: operatorWords[operator] },
        ]),
      ),
    ),
  });
  comparisons.set(name, input);
  return input;
}

const operatorWords: Readonly<Record<Operator, string>> = {
  eq: 'Equal to it; a list has it.',
  ne: 'Not equal to it, or absent; a list does not have it.',
  gt: 'Greater than it.',
  gte: 'Greater than it, or equal.',
  lt: 'Less than it.',
  lte: 'Less than it, or equal.',
  in: 'One of these.',
  nin: 'None of these, or absent.',
  exists: 'Whether there is a value.',
  contains: 'Contains it, whatever its letter case.',
  starts_with: 'Starts with it, whatever its letter case.',
  ends_with: 'Ends with it, whatever its letter case.',
  all: 'Has all of these.',
};

function operandType(operator: Operator, operand: Operand): GraphQLInputType {
  if (operator === 'exists') return GraphQLBoolean;
  if (operator === 'in' || operator === 'nin' || operator === 'all') return listOf(operand);
  const isPart = operator === 'contains' || operator === 'starts_with' || operator === 'ends_with';
  return isPart ? GraphQLString : operand;
}

/** The inputs of the members that every entry has and that the caller may compare. */
function memberInputs(site: SiteTypes): ComparedField[] {
  return comparedMembers(site.mayReadPrivate).map(({ name, rest, kind }) => {
    const operand = memberOperand(name, kind, site);
    const type = comparisonInput(kind, operand, site, name === 'acl' ? 'Acl' : operand.name);
    return { name, rest, type, definition: null, description: `Compares \`${rest}\`, as REST calls it.` };
  });
}

function memberOperand(name: ComparedMember['name'], kind: ComparisonKind, { common }: SiteTypes): Operand {
  if (name === 'status') return common.shared('EntryStatus') as GraphQLEnumType;
  if (kind === 'time') return common.shared('DateTime') as GraphQLScalarType;
  return kind === 'opaque' ? (common.shared('JSON') as GraphQLScalarType) : GraphQLString;
}

/** The fields of a channel that can be compared, members of every entry first; references only on request. */
export function comparedFields(channel: TypedChannel, site: SiteTypes, withReferences: boolean): ComparedField[] {
  const own = channel.fields.flatMap(({ name, definition, description, isReadable }): ComparedField[] => {
    if (!isReadable) return [];
    const { name: rest } = definition;
    const compared = { name, rest, definition, description };
    if (takesChannel(definition.type)) {
      if (!withReferences) return [];
      const target = site.findTarget(definition)?.types ?? site.other;
      return [{ ...compared, type: target.referenceWhere }];
    }
    return [{ ...compared, type: comparisonOf(definition, channel, site) }];
  });
  return [...memberInputs(site), ...own];
}

function comparisonOf(
  definition: FieldDefinition,
  channel: Pick<TypedChannel, 'enums'>,
  site: SiteTypes,
): GraphQLInputObjectType {
  const { output, input } = valueTypes(definition, channel, site.common);
  return comparisonInput(fieldTypes[definition.type].comparison, input, site, output.name);
}

/** Makes the inputs of comparisons that the channels have, so that a document can name them. */
export function makeComparisons(channels: readonly TypedChannel[], site: SiteTypes): void {
  memberInputs(site);
  const types = new Set<FieldType>();
  for (const typed of channels) {
    for (const definition of definitionsIn(typed.channel.fields)) {
      const { name, type } = definition;
      if (takesChannel(type) || (types.has(type) && !typed.enums.has(name))) continue;
      if (!typed.enums.has(name)) types.add(type);
      comparisonOf(definition, typed, site);
    }
  }
}

const freeComparisons = {
  description: 'Comparisons of custom fields, which the channel does not declare. All must be true.',
};

/** `FilmWhere`. */
export function makeWhere(channel: () => TypedChannel, type: string, site: SiteTypes): GraphQLInputObjectType {
  const where: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: `${type}Where`,
    description: 'A condition on entries. All of its members must be true; an empty one is.',
    ...conditionInput,
    fields: site.counted(() => ({
      and: { type: listOf(where), description: 'All of these must be true.' },
      or: { type: listOf(where), description: 'One of these must be true; of none, none is.' },
      not: { type: where, description: 'This must not be true.' },
      ...fieldInputs(comparedFields(channel(), site, true)),
      ...freeInput(channel(), site),
    })),
  });
  return where;
}

function fieldInputs(fields: readonly ComparedField[]): InputFields {
  return Object.fromEntries(fields.map(({ name, type, description }) => [name, { type, description }]));
}

function freeInput({ isFree }: TypedChannel, { common }: SiteTypes): InputFields {
  return !isFree ? {} : { fields: { type: listOf(common.fieldComparison), ...freeComparisons } };
}

/**
 * The comparisons of the fields of a referenced channel, with names that differ from those of comparisons of the
 * reference.
 */
export function hopFields(channel: TypedChannel | null, site: SiteTypes): ComparedField[] {
  if (channel === null) return [];
  const taken = new Set(operatorsOfReferences.map((operator) => nameOperator(operator, 'reference')));
  return comparedFields(channel, site, false).map(({ name: requestedName, description, ...field }) => {
    const name = claimName(requestedName, taken);
    return { ...field, name, description: description + describeClaimed(name, requestedName) };
  });
}

/** `DirectorReferenceWhere`, by which references to directors are compared. */
export function makeReferenceWhere(
  channel: () => TypedChannel | null,
  type: string,
  site: SiteTypes,
): GraphQLInputObjectType {
  return new GraphQLInputObjectType({
    name: `${type}ReferenceWhere`,
    description:
      'Comparisons of a reference with entries, each named by its id, short id or slug, and of the fields of the entry that ' +
      'it leads to. Each of them is true of a list of references if it is true of one.',
    ...conditionInput,
    fields: site.counted(() => {
      const target = channel();
      const own = operatorsOfReferences.map((operator): [string, GraphQLInputFieldConfig] => [
        nameOperator(operator, 'reference'),
        { type: operandType(operator, GraphQLID), description: operatorWords[operator] },
      ]);
      return {
        ...Object.fromEntries(own),
        ...fieldInputs(hopFields(target, site)),
        ...(target !== null && freeInput(target, site)),
      };
    }),
  });
}

/** `FilmSort`. Its values are the keys of the operations. */
export function makeSort(
  channel: () => TypedChannel,
  type: string,
  { mayReadPrivate, counted }: SiteTypes,
): GraphQLEnumType {
  return new GraphQLEnumType({
    name: `${type}Sort`,
    description: 'What a list is ordered by.',
    values: counted(() => {
      const taken = new Set<string>();
      const keys = sortableNames(channel().channel, mayReadPrivate).flatMap((rest) => {
        const name = rest.replace(/^_/, '').toUpperCase();
        return [
          sortKey(`${name}_ASC`, taken, { value: rest, description: `By \`${rest}\`, ascending.` }),
          sortKey(`${name}_DESC`, taken, { value: `-${rest}`, description: `By \`${rest}\`, descending.` }),
        ];
      });
      return Object.fromEntries<GraphQLEnumValueConfig>(keys);
    }),
  });
}

/** A key of an order, under a free name. Its description mentions a name that is not the expected one. */
function sortKey(
  requestedName: string,
  taken: Set<string>,
  { value, description }: { readonly value: string; readonly description: string },
): [string, GraphQLEnumValueConfig] {
  const name = claimName(requestedName, taken);
  return [name, { value, description: description + describeClaimed(name, requestedName) }];
}

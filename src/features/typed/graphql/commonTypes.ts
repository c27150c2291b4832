// The types that the schemas of all sites have in common: some of the static schema, and those of the values of fields.
import {
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfigMap,
  type GraphQLLeafType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import type { MemberShape, NumberShape, ObjectShape, Shape } from '../../../fields/shape.ts';
import { objectShapes } from '../../../fields/types.ts';
import { readNumber } from '../../../inputs/json.ts';
import type { PublicEntry } from '../../../serializers/entry.ts';
import type { GraphqlContext } from '../../../graphql/idempotency.ts';
import { conditionInput } from '../../../graphql/conditions.ts';
import { camelCase } from './names.ts';

/** The types that are taken from the static schema. */
const sharedNames = [
  'AclRule',
  'AclRuleInput',
  'ActorInput',
  'Channel',
  'ChannelAcl',
  'ChannelScope',
  'DateTime',
  'EntryStatus',
  'Field',
  'FieldType',
  'FilterOp',
  'JSON',
  'JSONObject',
  'PageInfo',
  'TokenKind',
] as const;

export type EntryFields = GraphQLFieldConfigMap<PublicEntry, GraphqlContext>;

const safeIntWords = 'A SafeInt is a whole number between -(2^53 - 1) and 2^53 - 1.';

/** A whole number that JavaScript represents exactly. */
const safeInt = new GraphQLScalarType({
  name: 'SafeInt',
  description: 'A whole number between -(2^53 - 1) and 2^53 - 1.',
  serialize: readSafeInt,
  parseValue: readSafeInt,
  parseLiteral: (node) => readSafeInt(node.kind === Kind.INT ? readNumber(node.value) : null),
});

function readSafeInt(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError(safeIntWords);
}

/**
 * A number too large to be stored unchanged is read as infinity, which the operation refuses under the name of its
 * field.
 */
const float = new GraphQLScalarType({
  ...GraphQLFloat.toConfig(),
  parseValue: (value) => (typeof value === 'number' ? value : GraphQLFloat.parseValue(value)),
  parseLiteral: (node) =>
    node.kind === Kind.INT || node.kind === Kind.FLOAT ? readNumber(node.value) : GraphQLFloat.parseLiteral(node),
});

/** Days are validated together with REST's inputs. */
const date = new GraphQLScalarType({
  name: 'Date',
  description: 'A calendar day, such as `2026-01-31`.',
  serialize: String,
  parseValue: readDateText,
  parseLiteral: (node) => readDateText(node.kind === Kind.STRING ? node.value : null),
});

function readDateText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('A Date is a string, such as "2026-01-31".');
}

/** The types of objects that are values of fields, in answers and in inputs. */
export interface ObjectTypes {
  readonly output: GraphQLObjectType;
  readonly input: GraphQLInputObjectType;
}

function makeObjectTypes({ graphql: { name, description }, members }: ObjectShape): ObjectTypes {
  const output: GraphQLFieldConfigMap<Readonly<Record<string, unknown>>, unknown> = {};
  const input: GraphQLInputFieldConfigMap = {};
  for (const [rest, { shape, isRequired, description }] of Object.entries(members)) {
    const name = camelCase(rest);
    const optional = memberType(shape);
    const type = isRequired ? new GraphQLNonNull(optional) : optional;
    output[name] = { type, description, ...(name !== rest && { resolve: (value) => value[rest] ?? null }) };
    input[name] = { type, description, ...(shape.of === 'constant' && { defaultValue: shape.value }) };
  }
  return {
    output: new GraphQLObjectType({ name, description, fields: output }),
    input: new GraphQLInputObjectType({ name: `${name}Input`, description, fields: input }),
  };
}

function memberType(shape: MemberShape): GraphQLScalarType | GraphQLList<GraphQLNonNull<GraphQLScalarType>> {
  switch (shape.of) {
    case 'text':
    case 'constant':
      return GraphQLString;
    case 'number':
      return numberType(shape);
    case 'list':
      return new GraphQLList(new GraphQLNonNull(numberType(shape.items)));
  }
}

function numberType({ isWhole }: NumberShape): GraphQLScalarType {
  return isWhole ? safeInt : float;
}

const objects = new Map(objectShapes.map((shape) => [shape, makeObjectTypes(shape)]));

/** The types of values, or of the items of lists, in answers and in inputs. */
export interface ValueTypes {
  readonly output: GraphQLLeafType | GraphQLObjectType;
  readonly input: GraphQLLeafType | GraphQLInputObjectType;
}

function makeValueTypes(shared: CommonTypes['shared']): CommonTypes['valueTypes'] {
  const leaf = (type: GraphQLNamedType): ValueTypes => {
    return { output: type as GraphQLLeafType, input: type as GraphQLLeafType };
  };
  const valueTypes: CommonTypes['valueTypes'] = (shape, options) => {
    switch (shape.of) {
      case 'text':
        return leaf(GraphQLString);
      case 'number':
        return leaf(numberType(shape));
      case 'boolean':
        return leaf(GraphQLBoolean);
      case 'date':
        return leaf(date);
      case 'time':
        return leaf(shared('DateTime'));
      case 'any':
        return leaf(shared('JSON'));
      case 'option':
        return leaf(options ?? GraphQLString);
      case 'object':
        return objects.get(shape) ?? makeObjectTypes(shape);
      case 'reference':
        return leaf(GraphQLID);
      case 'list':
        return valueTypes(shape.items, options);
    }
  };
  return valueTypes;
}

/** The types that the schemas of all sites share. */
export interface CommonTypes {
  /**
   * The types of a field's values. Those of a reference are its names: its type in answers depends on the channel.
   * @param options the enum of the field's options; undefined if they are texts
   */
  readonly valueTypes: (shape: Shape, options: GraphQLEnumType | undefined) => ValueTypes;
  /** A comparison in a channel without declared fields. */
  readonly fieldComparison: GraphQLInputObjectType;
  readonly entry: GraphQLInterfaceType;
  /** The fields that every entry has. */
  readonly fixedFields: EntryFields;
  /** The inputs that every entry has. */
  readonly fixedInputs: GraphQLInputFieldConfigMap;
  readonly queries: GraphQLFieldConfigMap<unknown, GraphqlContext>;
  /** A type of the static schema. */
  readonly shared: (name: (typeof sharedNames)[number]) => GraphQLNamedType;
  /** All of them by name, with the scalars of GraphQL. */
  readonly all: ReadonlyMap<string, GraphQLNamedType>;
}

/** Makes the common types. @param schema the static one */
export function makeCommonTypes(schema: GraphQLSchema): CommonTypes {
  const shared: CommonTypes['shared'] = (name) => {
    const type = schema.getType(name);
    if (!type) throw new Error(`The schema has no type ${name}.`);
    return type;
  };
  const { fields, value, reference, references, ...fixedFields } = (
    schema.getType('Entry') as GraphQLObjectType<PublicEntry, GraphqlContext>
  ).toConfig().fields;
  const { fields: _fields, ...fixedInputs } = (schema.getType('EntryInput') as GraphQLInputObjectType).toConfig()
    .fields;
  const query = schema.getQueryType() as GraphQLObjectType<unknown, GraphqlContext>;
  const { channel, channels } = query.toConfig().fields as CommonTypes['queries'];
  if (!fields || !value || !reference || !references || !channel || !channels) throw new Error('Fields are missing.');
  const entry = new GraphQLInterfaceType({
    name: 'Entry',
    description: 'What every entry has.',
    fields: Object.fromEntries(
      Object.entries(fixedFields).map(([name, { type, description }]) => [name, { type, description }]),
    ),
  });
  const fieldComparison = makeFieldComparison(shared);
  const ofObjects = [...objects.values()].flatMap(({ output, input }) => [output, input]);
  const own = [safeInt, float, date, ...ofObjects, fieldComparison, entry];
  const builtIn = [GraphQLBoolean, GraphQLID, GraphQLString, schema.getType('Int')];
  const all = [...own, ...builtIn, ...sharedNames.map(shared)].flatMap((type) => type ?? []);
  return {
    valueTypes: makeValueTypes(shared),
    fieldComparison,
    entry,
    fixedFields,
    fixedInputs,
    shared,
    queries: { channel, channels },
    all: new Map(all.map((type) => [type.name, type])),
  };
}

function makeFieldComparison(shared: CommonTypes['shared']): GraphQLInputObjectType {
  const operator = shared('FilterOp') as GraphQLEnumType;
  return new GraphQLInputObjectType({
    name: 'FieldComparison',
    description: 'Compares a custom field of a channel that declares none.',
    ...conditionInput,
    fields: {
      name: { type: new GraphQLNonNull(GraphQLString), description: "The field's name." },
      op: { type: new GraphQLNonNull(operator), defaultValue: 'eq', description: 'The operator.' },
      value: { type: shared('JSON') as GraphQLScalarType, description: 'What the value is compared with.' },
    },
  });
}

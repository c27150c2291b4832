// The types that the schemas of all sites share: some of the static schema, and those of the values of fields.
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
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { readNumber } from '../../../inputs/json.ts';
import type { PublicEntry } from '../../../serializers/entry.ts';
import type { GraphqlContext } from '../../../graphql/idempotency.ts';
import { conditionInput } from '../../../graphql/conditions.ts';

/** The types that are taken over from the static schema. */
const sharedNames = [
  ...['AclRule', 'AclRuleInput', 'ActorInput', 'Channel', 'ChannelAcl', 'ChannelScope', 'DateTime', 'EntryStatus'],
  ...['Field', 'FieldType', 'FilterOp', 'JSON', 'JSONObject', 'PageInfo', 'TokenKind'],
] as const;

export type EntryFields = GraphQLFieldConfigMap<PublicEntry, GraphqlContext>;

const safeIntWords = 'A SafeInt is a whole number between -(2^53 - 1) and 2^53 - 1.';

/** A whole number that JavaScript holds exactly. */
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

/** A number too large to be stored as it is written is read as infinity, which the operation refuses with its field. */
const float = new GraphQLScalarType({
  ...GraphQLFloat.toConfig(),
  parseValue: (value) => (typeof value === 'number' ? value : GraphQLFloat.parseValue(value)),
  parseLiteral: (node) =>
    node.kind === Kind.INT || node.kind === Kind.FLOAT ? readNumber(node.value) : GraphQLFloat.parseLiteral(node),
});

/** Whether a text is a day is checked together with REST's inputs. */
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

const coordinates = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(float)));
const coordinatesWords = 'Longitude, latitude and, where it is known, the altitude in metres.';

const geoPoint = new GraphQLObjectType({
  name: 'GeoPoint',
  description: 'A point, as GeoJSON has it.',
  fields: {
    type: { type: new GraphQLNonNull(GraphQLString), description: 'Always `Point`.' },
    coordinates: { type: coordinates, description: coordinatesWords },
  },
});

const geoPointInput = new GraphQLInputObjectType({
  name: 'GeoPointInput',
  description: 'A point, as GeoJSON has it.',
  fields: {
    type: { type: new GraphQLNonNull(GraphQLString), defaultValue: 'Point', description: 'Always `Point`.' },
    coordinates: { type: coordinates, description: coordinatesWords },
  },
});

const fileWords = {
  url: 'Its absolute http or https URL.',
  filename: 'Its name.',
  contentType: 'Its media type.',
  size: 'Its size in bytes.',
};

const file = new GraphQLObjectType<{ content_type?: string }>({
  name: 'File',
  description: 'A file that is stored elsewhere.',
  fields: {
    url: { type: new GraphQLNonNull(GraphQLString), description: fileWords.url },
    filename: { type: GraphQLString, description: fileWords.filename },
    contentType: {
      type: GraphQLString,
      description: fileWords.contentType,
      resolve: (value) => value.content_type ?? null,
    },
    size: { type: safeInt, description: fileWords.size },
  },
});

const fileInput = new GraphQLInputObjectType({
  name: 'FileInput',
  description: 'A file that is stored elsewhere.',
  fields: {
    url: { type: new GraphQLNonNull(GraphQLString), description: fileWords.url },
    filename: { type: GraphQLString, description: fileWords.filename },
    contentType: { type: GraphQLString, description: fileWords.contentType },
    size: { type: safeInt, description: fileWords.size },
  },
});

/** The types that the schemas of all sites share. */
export interface CommonTypes {
  readonly safeInt: GraphQLScalarType;
  readonly float: GraphQLScalarType;
  readonly date: GraphQLScalarType;
  readonly geoPoint: GraphQLObjectType;
  readonly geoPointInput: GraphQLInputObjectType;
  readonly file: GraphQLObjectType;
  readonly fileInput: GraphQLInputObjectType;
  /** One comparison in a channel that declares no fields. */
  readonly fieldComparison: GraphQLInputObjectType;
  readonly entry: GraphQLInterfaceType;
  /** The fields that every entry has. */
  readonly fixedFields: EntryFields;
  /** What may be sent of every entry. */
  readonly fixedInputs: GraphQLInputFieldConfigMap;
  readonly queries: GraphQLFieldConfigMap<unknown, GraphqlContext>;
  /** A type of the static schema. */
  readonly shared: (name: (typeof sharedNames)[number]) => GraphQLNamedType;
  /** All of them by name, with the scalars of GraphQL. */
  readonly all: ReadonlyMap<string, GraphQLNamedType>;
}

/** The common types. @param schema the static one */
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
  const own = [safeInt, float, date, geoPoint, geoPointInput, file, fileInput, fieldComparison, entry];
  const builtIn = [GraphQLBoolean, GraphQLID, GraphQLString, schema.getType('Int')];
  const all = [...own, ...builtIn, ...sharedNames.map(shared)].flatMap((type) => type ?? []);
  return {
    ...{
      safeInt,
      float,
      date,
      geoPoint,
      geoPointInput,
      file,
      fileInput,
      fieldComparison,
      entry,
      fixedFields,
      fixedInputs,
      shared,
    },
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

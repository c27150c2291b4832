// The SDL: what clients rely on stands as the contract has it, and everything is described.
import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
} from 'graphql';

const directory = new URL('../../schema/', import.meta.url);
const sdl = readdirSync(directory).map((name) => readFileSync(new URL(name, directory), 'utf8'));
const schema = buildSchema(sdl.join('\n'));
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

function undescribed(type: GraphQLNamedType): string[] {
  const own: { name: string; description?: string | null | undefined }[] = [type];
  if (isObjectType(type) || isInputObjectType(type)) {
    for (const field of Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields())) {
      own.push({ ...field, name: `${type.name}.${field.name}` });
      if ('args' in field) {
        for (const argument of field.args)
          own.push({ ...argument, name: `${type.name}.${field.name}(${argument.name})` });
      }
    }
  }
  if (isEnumType(type))
    own.push(...type.getValues().map((value) => ({ ...value, name: `${type.name}.${value.name}` })));
  return own.flatMap(({ name, description }) => ((description ?? '').trim() === '' ? [name] : []));
}

test('every type, field, argument, value and input field is described', () => {
  expect(types.flatMap(undescribed)).toEqual([]);
});

function valuesOf(name: string): string[] {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw new Error(`${name} is no enum.`);
  return type.getValues().map((value) => value.name);
}

test.each([
  ['EntryStatus', ['DRAFT', 'SCHEDULED', 'PUBLISHED']],
  ['ChannelScope', ['PUBLIC', 'SHARED', 'PRIVATE', 'NONE']],
  ['TokenKind', ['MASTER', 'PUBLIC']],
  [
    'FilterOp',
    ['EQ', 'NE', 'GT', 'GTE', 'LT', 'LTE', 'IN', 'NIN', 'EXISTS', 'CONTAINS', 'STARTS_WITH', 'ENDS_WITH', 'ALL'],
  ],
])('%s has the values of the contract', (name, values) => {
  expect(valuesOf(name)).toEqual(values);
});

/** `Type.field(argument: type = default): type` of every field. */
function signatures(name: string): string[] {
  const type = schema.getType(name);
  if (!isObjectType(type) && !isInputObjectType(type)) throw new Error(`${name} has no fields.`);
  return Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields()).map((field) => {
    const { args = [] } = field as { args?: readonly { name: string; type: unknown; defaultValue?: unknown }[] };
    const list = args.map((each) => {
      const fallback = each.defaultValue === undefined ? '' : ` = ${JSON.stringify(each.defaultValue)}`;
      return `${each.name}: ${String(each.type)}${fallback}`;
    });
    const fallback =
      'defaultValue' in field && field.defaultValue !== undefined ? ` = ${JSON.stringify(field.defaultValue)}` : '';
    return `${field.name}${list.length > 0 ? `(${list.join(', ')})` : ''}: ${String(field.type)}${fallback}`;
  });
}

test.each([
  [
    'Query',
    [
      'channel(id: ID!): Channel',
      'channels: [Channel!]!',
      'customer(id: ID!): Customer',
      'customers(first: Int = 30, after: String): CustomerConnection',
      'entries(channel: ID!, where: EntryFilter, search: String, sort: [String!], first: Int = 30, after: String, page: Int, useAcl: Boolean! = false): EntryConnection',
      'entry(channel: ID!, id: ID!, useAcl: Boolean! = false): Entry',
      'sessions(customer: ID!): [Session!]',
      'tokens: [Token!]',
    ],
  ],
  [
    'Mutation',
    [
      'createChannel(input: ChannelInput!): Channel',
      'createCustomer(input: CustomerInput!): Customer',
      'createEntry(channel: ID!, input: EntryInput!, useAcl: Boolean! = false): Entry',
      'createSession(customer: ID!, ttlSeconds: Int = 86400): SessionWithToken',
      'createToken(input: TokenInput!): TokenWithSecret',
      'deleteChannel(id: ID!, confirm: ID!): ID',
      'deleteEntry(channel: ID!, id: ID!, ifVersion: Int, useAcl: Boolean! = false): ID',
      'revokeSession(id: ID!): ID',
      'revokeToken(id: ID!): ID',
      'updateChannel(id: ID!, input: ChannelPatch!, confirm: ID): Channel',
      'updateCustomer(id: ID!, input: CustomerPatch!): Customer',
      'updateEntry(channel: ID!, id: ID!, input: EntryInput!, ifVersion: Int, useAcl: Boolean! = false): Entry',
    ],
  ],
  [
    'Entry',
    [
      'acl: [AclRule!]',
      'channel: Channel!',
      'createdAt: DateTime!',
      'fields: JSONObject!',
      'id: ID!',
      'owner: ID',
      'publishAt: DateTime',
      'shortId: String!',
      'slug: String!',
      'status: EntryStatus!',
      'titleFieldValue: String',
      'updatedAt: DateTime!',
      'url: String!',
      'version: Int!',
    ],
  ],
  [
    'EntryInput',
    [
      'acl: [AclRuleInput!]',
      'fields: JSONObject',
      'owner: ID',
      'publishAt: DateTime',
      'slug: String',
      'status: EntryStatus',
    ],
  ],
  ['EntryConnection', ['edges: [EntryEdge!]!', 'nodes: [Entry!]!', 'pageInfo: PageInfo!', 'totalCount: Int']],
  ['SessionWithToken', ['customer: ID!', 'expiresAt: DateTime!', 'id: ID!', 'token: String!']],
  ['TokenWithSecret', ['expiresAt: DateTime', 'id: ID!', 'kind: TokenKind!', 'name: String', 'token: String!']],
  ['TokenInput', ['expiresAt: DateTime', 'kind: TokenKind!', 'name: String']],
  ['CustomerInput', ['email: String', 'id: ID', 'name: String', 'roles: [String!]']],
])('%s has the fields of the contract', (name, expected) => {
  expect(signatures(name).sort()).toEqual(expected);
});

// The public GraphQL schema (docs/contract.md §7.2): it declares what is listed here by hand, and describes each thing in
// it, since these descriptions are what clients read.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  astFromValue,
  buildASTSchema,
  concatAST,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
  print,
  validateSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
} from 'graphql';

const directory = join(import.meta.dirname, '../../../schema');
const files = readdirSync(directory).filter((name) => name.endsWith('.graphql'));
const schema = buildASTSchema(concatAST(files.map((name) => parse(readFileSync(join(directory, name), 'utf8')))));
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

/** What a type declares, one line each, as `contract` below spells it. */
function declarations(type: GraphQLNamedType): string[] {
  if (isEnumType(type))
    return [
      `${type.name} = ${type
        .getValues()
        .map(({ name }) => name)
        .join(' ')}`,
    ];
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => `${type.name}.${spelled(field)}`);
  if (!isObjectType(type)) return [`scalar ${type.name}`];
  return Object.values(type.getFields()).map((field) => {
    const args = field.args.length > 0 ? `(${field.args.map(spelled).join(', ')})` : '';
    return `${type.name}.${field.name}${args}: ${String(field.type)}`;
  });
}

function spelled({ name, type, defaultValue }: GraphQLArgument | GraphQLInputField): string {
  const literal = astFromValue(defaultValue, type);
  return `${name}: ${String(type)}${literal ? ` = ${print(literal)}` : ''}`;
}

/** Every described thing of a type: the type itself, and what it holds, down to arguments. */
function described(type: GraphQLNamedType): [path: string, description: string][] {
  const own: [string, string][] = [[type.name, type.description ?? '']];
  if (isEnumType(type)) {
    return [...own, ...type.getValues().map(({ name, description }) => pair(`${type.name}.${name}`, description))];
  }
  if (!isObjectType(type) && !isInputObjectType(type)) return own;
  const members = Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields()).flatMap(
    (field) => [
      pair(`${type.name}.${field.name}`, field.description),
      ...('args' in field ? field.args : []).map((arg) =>
        pair(`${type.name}.${field.name}(${arg.name})`, arg.description),
      ),
    ],
  );
  return [...own, ...members];
}

function pair(path: string, description: string | null | undefined): [string, string] {
  return [path, description ?? ''];
}

const contract = `
  Query.channel(id: ID!): Channel
  Query.channels: [Channel!]!
  Query.customer(id: ID!): Customer
  Query.customers(first: Int = 30, after: String): CustomerConnection
  Query.entry(channel: ID!, id: ID!, useAcl: Boolean! = false): Entry
  Query.entries(channel: ID!, where: EntryFilter, search: String, sort: [String!], first: Int = 30, after: String, page: Int, useAcl: Boolean! = false): EntryConnection
  Query.sessions(customer: ID!): [Session!]
  Query.tokens: [Token!]
  Mutation.createEntry(channel: ID!, input: EntryInput!, useAcl: Boolean! = false): Entry
  Mutation.updateEntry(channel: ID!, id: ID!, input: EntryInput!, ifVersion: Int, useAcl: Boolean! = false): Entry
  Mutation.deleteEntry(channel: ID!, id: ID!, ifVersion: Int, useAcl: Boolean! = false): ID
  Mutation.bulkEntries(channel: ID!, operations: [EntryOperationInput!]!, atomic: Boolean! = false, useAcl: Boolean! = false): BulkResult
  Mutation.createChannel(input: ChannelInput!): Channel
  Mutation.updateChannel(id: ID!, input: ChannelPatch!, confirm: ID): Channel
  Mutation.deleteChannel(id: ID!, confirm: ID!): ID
  Mutation.createCustomer(input: CustomerInput!): Customer
  Mutation.updateCustomer(id: ID!, input: CustomerPatch!): Customer
  Mutation.createSession(customer: ID!, ttlSeconds: Int = 86400): SessionWithToken
  Mutation.revokeSession(id: ID!): ID
  Mutation.createToken(input: TokenInput!): TokenWithSecret
  Mutation.revokeToken(id: ID!): ID

  EntryOperationInput.op: BulkOp!
  EntryOperationInput.id: ID
  EntryOperationInput.ifVersion: Int
  EntryOperationInput.input: EntryInput
  BulkOp = CREATE UPDATE DELETE
  BulkResult.results: [OperationResult!]!
  OperationResult.status: Int!
  OperationResult.entry: Entry
  OperationResult.error: OperationError
  OperationError.code: String!
  OperationError.message: String!
  OperationError.errors: [MemberError!]
  MemberError.field: String!
  MemberError.code: String!
  MemberError.message: String!

  Entry.id: ID!
  Entry.shortId: String!
  Entry.slug: String!
  Entry.url: String!
  Entry.channel: Channel!
  Entry.version: Int!
  Entry.createdAt: DateTime!
  Entry.updatedAt: DateTime!
  Entry.titleFieldValue: String
  Entry.status: EntryStatus!
  Entry.publishAt: DateTime
  Entry.acl: [AclRule!]
  Entry.owner: ID
  Entry.fields: JSONObject!
  Entry.reference(field: String!): Entry
  Entry.references(field: String!, first: Int, after: String): EntryConnection!
  EntryStatus = DRAFT SCHEDULED PUBLISHED
  AclRule.actor: String!
  AclRule.create: Boolean
  AclRule.read: Boolean
  AclRule.update: Boolean
  AclRule.delete: Boolean
  AclRuleInput.actor: String!
  AclRuleInput.create: Boolean
  AclRuleInput.read: Boolean
  AclRuleInput.update: Boolean
  AclRuleInput.delete: Boolean
  EntryInput.slug: String
  EntryInput.fields: JSONObject
  EntryInput.status: EntryStatus
  EntryInput.publishAt: DateTime
  EntryInput.acl: [AclRuleInput!]
  EntryInput.owner: ID
  EntryFilter.and: [EntryFilter!]
  EntryFilter.or: [EntryFilter!]
  EntryFilter.not: EntryFilter
  EntryFilter.field: String
  EntryFilter.op: FilterOp = EQ
  EntryFilter.value: JSON
  FilterOp = EQ NE GT GTE LT LTE IN NIN EXISTS CONTAINS STARTS_WITH ENDS_WITH ALL
  EntryConnection.nodes: [Entry!]!
  EntryConnection.edges: [EntryEdge!]!
  EntryConnection.pageInfo: PageInfo!
  EntryConnection.totalCount: Int
  EntryEdge.cursor: String!
  EntryEdge.node: Entry!
  PageInfo.hasNextPage: Boolean!
  PageInfo.hasPreviousPage: Boolean!
  PageInfo.startCursor: String
  PageInfo.endCursor: String

  Channel.id: ID!
  Channel.name: String!
  Channel.description: String
  Channel.publishable: Boolean!
  Channel.acl: ChannelAcl
  Channel.titleField: String!
  Channel.language: String
  Channel.fields: [Field!]!
  ChannelScope = PUBLIC SHARED PRIVATE NONE
  ChannelAcl.create: ChannelScope!
  ChannelAcl.read: ChannelScope!
  ChannelAcl.update: ChannelScope!
  ChannelAcl.delete: ChannelScope!
  ChannelAclInput.create: ChannelScope
  ChannelAclInput.read: ChannelScope
  ChannelAclInput.update: ChannelScope
  ChannelAclInput.delete: ChannelScope
  ChannelInput.id: ID!
  ChannelInput.name: String
  ChannelInput.description: String
  ChannelInput.publishable: Boolean
  ChannelInput.acl: ChannelAclInput
  ChannelInput.titleField: String
  ChannelInput.language: String
  ChannelInput.fields: [FieldInput!]
  ChannelPatch.name: String
  ChannelPatch.description: String
  ChannelPatch.publishable: Boolean
  ChannelPatch.acl: ChannelAclInput
  ChannelPatch.titleField: String
  ChannelPatch.language: String
  ChannelPatch.fields: [FieldInput!]
  FieldType = STRING TEXT HTML INTEGER FLOAT BOOLEAN DATE DATETIME EMAIL URL JSON SELECT MULTI_SELECT STRINGS GEO REFERENCE REFERENCES FILE
  FieldInput.name: String!
  FieldInput.label: String
  FieldInput.hint: String
  FieldInput.type: FieldType!
  FieldInput.required: Boolean
  FieldInput.unique: Boolean
  FieldInput.indexed: Boolean
  FieldInput.default: JSON
  FieldInput.options: [String!]
  FieldInput.channel: ID
  FieldInput.min: Float
  FieldInput.max: Float
  FieldInput.pattern: String
  Field.name: String!
  Field.label: String
  Field.hint: String
  Field.type: FieldType!
  Field.required: Boolean!
  Field.unique: Boolean!
  Field.indexed: Boolean!
  Field.default: JSON
  Field.options: [String!]
  Field.channel: ID
  Field.min: Float
  Field.max: Float
  Field.pattern: String

  Customer.id: ID!
  Customer.email: String
  Customer.name: String
  Customer.roles: [String!]!
  Customer.createdAt: DateTime!
  Customer.updatedAt: DateTime!
  CustomerInput.id: ID
  CustomerInput.email: String
  CustomerInput.name: String
  CustomerInput.roles: [String!]
  CustomerPatch.email: String
  CustomerPatch.name: String
  CustomerPatch.roles: [String!]
  CustomerConnection.nodes: [Customer!]!
  CustomerConnection.edges: [CustomerEdge!]!
  CustomerConnection.pageInfo: PageInfo!
  CustomerConnection.totalCount: Int
  CustomerEdge.cursor: String!
  CustomerEdge.node: Customer!
  Session.id: ID!
  Session.customer: ID!
  Session.createdAt: DateTime!
  Session.expiresAt: DateTime!
  Session.revokedAt: DateTime
  Session.lastUsedAt: DateTime
  SessionWithToken.id: ID!
  SessionWithToken.token: String!
  SessionWithToken.customer: ID!
  SessionWithToken.expiresAt: DateTime!
  Token.id: ID!
  Token.kind: TokenKind!
  Token.name: String
  Token.createdAt: DateTime!
  Token.expiresAt: DateTime
  Token.revokedAt: DateTime
  Token.lastUsedAt: DateTime
  TokenKind = MASTER PUBLIC
  TokenInput.kind: TokenKind!
  TokenInput.name: String
  TokenInput.expiresAt: DateTime
  TokenWithSecret.id: ID!
  TokenWithSecret.kind: TokenKind!
  TokenWithSecret.name: String
  TokenWithSecret.token: String!
  TokenWithSecret.expiresAt: DateTime
  scalar DateTime
  scalar JSON
  scalar JSONObject
`;
const contractLines = contract.split('\n').flatMap((line) => line.trim() || []);

test('the schema is valid', () => {
  expect(validateSchema(schema)).toEqual([]);
});

test('the schema declares what is listed above, and nothing else', () => {
  expect(types.flatMap(declarations).sort()).toEqual([...contractLines].sort());
});

describe('each thing is described', () => {
  test.each(types.map((type) => [type.name, type] as const))('%s', (_name, type) => {
    const wanting = described(type).filter(([, description]) => description.trim().length < 3);
    expect(wanting.map(([path]) => path)).toEqual([]);
  });
});

test('nothing is announced that is not supported', () => {
  const wanting = types.flatMap(described).filter(([, description]) => /not (yet )?supported/i.test(description));
  expect(wanting.map(([path]) => path)).toEqual([]);
});

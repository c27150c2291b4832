// The public GraphQL schema: its types as docs/contract.md §7 has them, and a description for each thing in it, since
// clients read these descriptions.
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
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
  print,
  validateSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
} from 'graphql';
import { actorPrefixes, actorWords, maxActorKeyLength } from '../../../src/rules/actors.ts';
import { words } from '../../support/words.ts';

const directory = join(import.meta.dirname, '../../../schema');
const files = readdirSync(directory).filter((name) => name.endsWith('.graphql'));
const schema = buildASTSchema(concatAST(files.map((name) => parse(readFileSync(join(directory, name), 'utf8')))));
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

/** Everything that a client sends or gets: `Type.field`, `Type.field(argument)` and the members of inputs. */
const outputs = types
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const));
const inputs = [
  ...outputs.flatMap(([path, { args }]) => args.map((argument) => [`${path}(${argument.name})`, argument] as const)),
  ...types
    .filter(isInputObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const)),
];

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

test('the GraphQL schema is valid', () => {
  expect(validateSchema(schema)).toEqual([]);
});

// The names are held by the tables of test/once/doors/: doors.ts has every field, arguments.ts every argument and member.

test('fields that may be refused are nullable, so that one refusal takes nothing from its siblings', () => {
  const roots = outputs.filter(([path]) => /^(Query|Mutation)\./.test(path));
  const never = roots.filter(([, { type }]) => isNonNullType(type)).map(([path]) => path);
  expect(never).toEqual(['Query.channels']);
  const kept = words(
    'Entry.acl Entry.owner Channel.acl Channel.description Channel.language EntryConnection.totalCount',
  );
  expect(outputs.filter(([path, { type }]) => kept.includes(path) && isNonNullType(type))).toEqual([]);
});

test('lists of the GraphQL schema hold no nulls', () => {
  const written = [...outputs, ...inputs].map(([path, { type }]) => `${path}: ${String(type)}`);
  expect(written.filter((line) => line.includes('[') && !line.includes('!]'))).toEqual([]);
});

test('the GraphQL schema requires exactly the listed arguments', () => {
  const required = inputs.filter(([, { type, defaultValue }]) => isNonNullType(type) && defaultValue === undefined);
  const ids =
    'Query.accessExplanation Query.channel Query.customer Query.entry Mutation.updateEntry Mutation.deleteEntry Mutation.publishEntry Mutation.unpublishEntry Mutation.updateChannel';
  const more = 'Mutation.deleteChannel Mutation.updateCustomer Mutation.revokeSession Mutation.revokeToken';
  const webhooks = 'Mutation.updateWebhook Mutation.deleteWebhook Mutation.rotateWebhookSecret Mutation.testWebhook';
  const channels =
    'Query.entry Query.entries Mutation.createEntry Mutation.updateEntry Mutation.deleteEntry Mutation.publishEntry Mutation.unpublishEntry';
  const creates = 'Channel Customer Token Entry Webhook Role';
  const updates = 'Channel Customer Entry Webhook Role';
  expect(required.map(([path]) => path).sort()).toEqual(
    [
      ...words(`${ids} ${more} ${webhooks}`).map((field) => `${field}(id)`),
      ...words(`${channels} Mutation.bulkEntries Query.accessExplanation Query.channelAclPreview Query.rights`).map(
        (field) => `${field}(channel)`,
      ),
      ...words(creates).map((thing) => `Mutation.create${thing}(input)`),
      ...words(updates).map((thing) => `Mutation.update${thing}(input)`),
      ...words(
        'Mutation.updateRole(id) Mutation.deleteRole(id) Mutation.deleteRole(confirm) RoleInput.id RoleInput.rights',
      ),
      ...words(
        'Mutation.inviteMember(input) Mutation.revokeInvitation(id) InvitationInput.email InvitationInput.roles',
      ),
      ...words('Mutation.updateMember(user) Mutation.updateMember(roles) Mutation.removeMember(user)'),
      ...words('Query.sessions(customer) Mutation.createSession(customer) Mutation.deleteChannel(confirm)'),
      ...words('Mutation.bulkEntries(operations) Entry.reference(field) Entry.references(field)'),
      ...words('Entry.value(name) Query.accessExplanation(as) Query.channelAclPreview(acl)'),
      ...words('Query.webhookDeliveries(webhook) Mutation.redeliver(delivery) WebhookInput.url'),
      ...words(
        'AclRuleInput.actor ChannelInput.id EntryOperationInput.op FieldInput.name FieldInput.type TokenInput.kind',
      ),
    ].sort(),
  );
});

test('arguments of the GraphQL schema have exactly the listed defaults', () => {
  const defaults = inputs.flatMap(([path, { type, defaultValue }]) => {
    const literal = astFromValue(defaultValue, type);
    return literal ? [`${path} ${print(literal)}`] : [];
  });
  const useAcl =
    'Query.entry Query.entries Mutation.createEntry Mutation.updateEntry Mutation.deleteEntry Mutation.publishEntry Mutation.unpublishEntry';
  expect(defaults.sort()).toEqual(
    [
      ...words(`${useAcl} Mutation.bulkEntries`).map((field) => `${field}(useAcl) false`),
      ...[
        'Query.entries(first) 30',
        'Query.customers(first) 30',
        'Query.members(first) 30',
        'Query.changes(first) 100',
        'Mutation.createSession(ttlSeconds) 86400',
      ],
      ...['Mutation.bulkEntries(atomic) false', 'EntryFilter.op EQ', 'ActorInput.token PUBLIC'],
      ...[
        'Query.auditLog(first) 30',
        'Query.webhookDeliveries(first) 30',
        'Mutation.rotateWebhookSecret(overlapSeconds) 86400',
      ],
      ...['WebhookInput.audience MANAGEMENT', 'WebhookInput.enabled true'],
    ].sort(),
  );
});

test('each enum of the GraphQL schema has exactly the listed values', () => {
  const values = types.filter(isEnumType).map((type) => [
    type.name,
    type
      .getValues()
      .map(({ name }) => name)
      .join(' '),
  ]);
  expect(Object.fromEntries(values)).toEqual({
    AuditAction: 'CREATED UPDATED DELETED REVOKED ROTATED DISABLED',
    AuditActorKind: 'MASTER PUBLIC USER OPERATOR SERVICE',
    AuditType: 'CHANNEL CUSTOMER INVITATION MEMBER PROVIDER ROLE SESSION SIGN_IN SITE TOKEN USER WEBHOOK',
    BulkOp: 'CREATE UPDATE DELETE PUBLISH UNPUBLISH',
    CallerKind: 'MASTER PUBLIC USER',
    ChannelScope: 'PUBLIC SHARED PRIVATE NONE',
    DecidedBy: 'BYPASS RIGHT CHANNEL GRANT DENY DEFAULT',
    EntryStatus: 'DRAFT SCHEDULED PUBLISHED',
    FieldType:
      'STRING TEXT HTML INTEGER FLOAT BOOLEAN DATE DATETIME EMAIL URL JSON SELECT MULTI_SELECT STRINGS GEO REFERENCE REFERENCES FILE',
    FilterOp: 'EQ NE GT GTE LT LTE IN NIN EXISTS CONTAINS STARTS_WITH ENDS_WITH ALL',
    TokenKind: 'MASTER PUBLIC',
    WebhookAudience: 'MANAGEMENT PUBLIC',
  });
});

describe('each thing is described', () => {
  test.each(types.map((type) => [type.name, type] as const))('the GraphQL schema describes %s', (_name, type) => {
    const wanting = described(type).filter(([, description]) => description.trim().length < 3);
    expect(wanting.map(([path]) => path)).toEqual([]);
  });
});

test('descriptions of actor keys name all kinds, and the length of keys', () => {
  const naming = types.flatMap(described).filter(([, description]) => description.includes('`id:'));
  expect(naming.map(([path]) => path).sort()).toEqual(['AclRule.actor', 'AclRuleInput.actor', 'CustomerInput.id']);
  const keys = [...actorWords.map((word) => `\`${word}\``), ...actorPrefixes.map((prefix) => `\`${prefix}`)];
  const wanting = naming.filter(([, description]) => !keys.every((key) => description.includes(key)));
  expect(wanting.map(([path]) => path)).toEqual([]);
  expect(Object.fromEntries(naming)['AclRuleInput.actor']).toContain(` 1 to ${maxActorKeyLength} characters`);
});

test('the GraphQL schema announces nothing that is not supported', () => {
  const wanting = types.flatMap(described).filter(([, description]) => /not (yet )?supported/i.test(description));
  expect(wanting.map(([path]) => path)).toEqual([]);
});

// The output of the serializers as JSON Schema, for the description of the REST interface. Each schema has the names of
// all members; a test compares every answer of the tests with them.
import { enums } from '../../../base/enums.ts';
import { members, type MemberForm } from '../../../entries/members.ts';
import { asDeprecated, orNull, textSchema, type JsonSchema } from '../../../fields/jsonSchema.ts';
import { fieldTypesWhere } from '../../../fields/types.ts';
import { actions } from '../../../rules/access.ts';
import { versionName } from '../../../rules/names.ts';
import { allStatuses } from '../../../rules/publication.ts';
import type { ShownType } from '../../changes/serializer.ts';
import type { AnswerSchemaName } from '../../../rest/description.ts';
import type { ShownField } from '../../../serializers/channel.ts';
import type { Stub } from '../../../serializers/entry.ts';

const textOrNull = { type: ['string', 'null'] };
const timeSchema = { type: 'string', format: 'date-time' };
const timeOrNull = orNull(timeSchema);
const texts = { type: 'array', items: textSchema };
const number = { type: ['number', 'null'] };
const flag = { type: 'boolean' };
const uuidSchema = { type: 'string', format: 'uuid' };
const handleSchema = { type: 'string', maxLength: 63, description: 'The id of a channel.' };

const formSchemas: Readonly<Record<MemberForm, JsonSchema>> = {
  uuid: uuidSchema,
  url: { type: 'string', format: 'uri' },
  handleOrNull: { ...handleSchema, type: ['string', 'null'] },
  text: textSchema,
  textOrNull,
  time: timeSchema,
  timeOrNull,
  status: { type: 'string', enum: allStatuses },
  accessList: { $ref: '#/components/schemas/AccessList' },
};

/** The fixed members of an entry. */
const entryMembers = Object.fromEntries(
  Object.values(members).map(({ rest, form }) => [rest, formSchemas[form]] as const),
);

/** The members that only some entries in answers have: they are shown to master and user tokens and to the owner. */
const sometimes = new Set<string>(
  Object.values(members)
    .filter(({ readBy }) => readBy === 'privileged')
    .map(({ rest }) => rest),
);

/** The fixed members of an entry, and those that every whole entry has. */
export const fixedMembers: {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
} = {
  properties: { ...entryMembers, [versionName]: { type: 'integer', description: 'Where `only` names it.' } },
  required: Object.keys(entryMembers).filter((name) => !sometimes.has(name)),
};

/** An object with all members, except optional ones. */
function objectSchema(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

const keysOrNull = orNull({ type: 'array', items: textSchema });
const fieldSchema: Readonly<Record<keyof ShownField, JsonSchema>> = {
  name: textSchema,
  type: { type: 'string', enum: fieldTypesWhere(() => true) },
  label: textOrNull,
  hint: textOrNull,
  required: flag,
  unique: flag,
  indexed: flag,
  default: true,
  options: orNull({ type: 'array', items: textSchema }),
  channel: textOrNull,
  min: number,
  max: number,
  pattern: textOrNull,
  message: textOrNull,
  read: keysOrNull,
  write: keysOrNull,
  readable: flag,
  writable: flag,
};
/** The members of a field with a rule. */
const ruleMembers = ['read', 'write', 'readable', 'writable'] as const satisfies readonly (keyof ShownField)[];

const scopeSchema = { type: 'string', enum: Object.values(enums.ChannelScope) };
const tokenTimes = { created_at: timeSchema, expires_at: timeOrNull, revoked_at: timeOrNull, last_used_at: timeOrNull };
const session = { id: uuidSchema, customer: textSchema, ...tokenTimes, expires_at: timeSchema };
const token = {
  id: uuidSchema,
  kind: { type: 'string', enum: Object.values(enums.TokenKind) },
  name: textOrNull,
  ...tokenTimes,
  scopes: orNull(texts),
};
const invitation = {
  id: uuidSchema,
  email: textSchema,
  roles: texts,
  created_at: timeSchema,
  expires_at: timeSchema,
};
const invitationUrl = { type: 'string', format: 'uri', description: 'The link, which no later answer shows.' };
const secret = { type: 'string', description: 'The secret, which no later answer shows.' };
const stub: Readonly<Record<keyof Stub, JsonSchema>> = {
  id: uuidSchema,
  channel: handleSchema,
  slug: textSchema,
  title_field_value: textOrNull,
};

const shownChangeTypes: Readonly<Record<ShownType, true>> = {
  'entry.created': true,
  'entry.updated': true,
  'entry.deleted': true,
  'entry.published': true,
  'entry.unpublished': true,
  'entry.removed': true,
  'channel.created': true,
  'channel.updated': true,
  'channel.deleted': true,
  'channel.removed': true,
};

/** The author of a change (docs/contract.md §9.1, §13.6). */
const actor = objectSchema({
  kind: { type: 'string', enum: Object.values(enums.AuditActorKind) },
  token: orNull(uuidSchema),
  user: orNull(uuidSchema),
  customer: textOrNull,
  name: textOrNull,
});

/** A change in the feed (docs/contract.md §9). It has `entry` if `include` asks for it. */
const change = objectSchema(
  {
    cursor: textSchema,
    type: { type: 'string', enum: Object.keys(shownChangeTypes) },
    at: timeSchema,
    channel: handleSchema,
    id: orNull(uuidSchema),
    version: { type: ['integer', 'null'] },
    actor: orNull(actor),
    entry: orNull({ $ref: '#/components/schemas/EntryMembers' }),
  },
  // `actor` is left out for public tokens.
  ['actor', 'entry'],
);

/** A decision of an explanation (docs/contract.md §10.1). */
const decision = objectSchema({
  allowed: flag,
  decided_by: { type: 'string', enum: Object.values(enums.DecidedBy) },
  key: textOrNull,
  scope: orNull(scopeSchema),
  considered: { type: 'array', items: objectSchema({ key: textSchema, says: flag }) },
  right: textOrNull,
});
const namedEntries = objectSchema({
  count: { type: 'integer', minimum: 0 },
  entries: { type: 'array', items: { $ref: '#/components/schemas/Stub' } },
});
const sightDifference = objectSchema({ appear: namedEntries, disappear: namedEntries });

const listOrNull = { type: ['array', 'null'], items: textSchema };
const webhook = {
  id: uuidSchema,
  url: { type: 'string', format: 'uri' },
  types: listOrNull,
  channels: listOrNull,
  audience: { type: 'string', enum: Object.values(enums.WebhookAudience) },
  enabled: flag,
  disabled_reason: textOrNull,
  failing_since: timeOrNull,
  old_secret_until: timeOrNull,
  created_at: timeSchema,
  updated_at: timeSchema,
};
const ruleDecision = objectSchema({ allowed: flag, key: textOrNull });
const integerOrNull = { type: ['integer', 'null'] };

/** The schemas of objects other than entries, by name. */
export const answerSchemas = {
  Stub: objectSchema(stub),
  Field: objectSchema(fieldSchema, ruleMembers),
  Channel: objectSchema(
    {
      id: handleSchema,
      name: textSchema,
      description: textOrNull,
      publishable: flag,
      acl: objectSchema(Object.fromEntries(actions.map((action) => [action, scopeSchema]))),
      title_field: textSchema,
      titleField: asDeprecated(textSchema, 'title_field'),
      language: textSchema,
      type_name: textOrNull,
      typeName: asDeprecated(textOrNull, 'type_name'),
      layout: orNull({ type: 'object' }),
      fields: { type: 'array', items: { $ref: '#/components/schemas/Field' } },
    },
    // Left out for public tokens.
    ['description', 'acl', 'language', 'type_name', 'typeName', 'layout'],
  ),
  Change: change,
  ChangePage: objectSchema({
    changes: { type: 'array', items: { $ref: '#/components/schemas/Change' } },
    cursor: textSchema,
    more: flag,
  }),
  Decision: decision,
  AccessExplanation: objectSchema({
    ...Object.fromEntries([...actions, 'publish'].map((action) => [action, { $ref: '#/components/schemas/Decision' }])),
    publication: objectSchema({ visible: flag, since: timeOrNull, until: timeOrNull }),
    fields: { type: 'array', items: objectSchema({ name: textSchema, read: ruleDecision, write: ruleDecision }) },
  }),
  Rights: objectSchema({
    create: flag,
    access: flag,
    update: orNull(flag),
    delete: orNull(flag),
    publish: orNull(flag),
  }),
  AclPreview: objectSchema({ exact: flag, anonymous: sightDifference, customer: sightDifference }),
  Webhook: objectSchema(webhook),
  WebhookWithSecret: objectSchema({ ...webhook, secret }),
  WebhookDelivery: objectSchema({
    id: uuidSchema,
    webhook: uuidSchema,
    attempt: { type: 'integer', minimum: 1 },
    at: timeSchema,
    status: integerOrNull,
    error: textOrNull,
    milliseconds: number,
    answer: textOrNull,
    next_attempt_at: timeOrNull,
    change: orNull({ $ref: '#/components/schemas/Change' }),
  }),
  AuditRecord: objectSchema({
    id: uuidSchema,
    at: timeSchema,
    type: { type: 'string', enum: Object.values(enums.AuditType) },
    subject: textSchema,
    action: { type: 'string', enum: Object.values(enums.AuditAction) },
    actor,
    before: orNull({ type: 'object' }),
    after: orNull({ type: 'object' }),
    request_id: textOrNull,
    address: textOrNull,
  }),
  Me: objectSchema({
    kind: { type: 'string', enum: Object.values(enums.CallerKind) },
    user: orNull(objectSchema({ id: uuidSchema, email: textSchema, name: textOrNull })),
    sites: { type: 'array', items: objectSchema({ id: textSchema, name: textSchema, roles: texts }) },
    rights: orNull(texts),
  }),
  SiteMember: objectSchema(
    { user: uuidSchema, name: textOrNull, email: textSchema, roles: texts, created_at: timeSchema },
    ['email', 'roles'],
  ),
  Role: objectSchema({
    id: textSchema,
    name: textOrNull,
    rights: texts,
    built_in: flag,
    created_at: timeOrNull,
    updated_at: timeOrNull,
  }),
  Invitation: objectSchema(invitation),
  InvitationWithUrl: objectSchema({ ...invitation, url: invitationUrl }),
  Customer: objectSchema({
    id: textSchema,
    email: textOrNull,
    name: textOrNull,
    roles: { type: 'array', items: textSchema },
    created_at: timeSchema,
    updated_at: timeSchema,
  }),
  Session: objectSchema(session),
  SessionWithToken: objectSchema({ ...session, token: secret }),
  Token: objectSchema(token),
  TokenWithSecret: objectSchema({ ...token, token: secret }),
} satisfies Record<AnswerSchemaName, JsonSchema>;

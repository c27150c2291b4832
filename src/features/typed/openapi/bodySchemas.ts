// The bodies of requests as JSON Schema, for the description of the REST interface. Those of management are made from
// the schemas that check them.
import { newInvitationInput, readOnlyOfInvitations } from '../../../management/invitations/input.ts';
import {
  memberRolesInput,
  newRoleInput,
  readOnlyOfMembers,
  readOnlyOfRoles,
  rolePatchInput,
} from '../../../management/roles/input.ts';
import { z } from 'zod';
import { members, settableMembers, type SettableForm, type SettableMember } from '../../../entries/members.ts';
import type { SetBy } from '../../../rules/callers.ts';
import { asDeprecated, orNull, type JsonSchema } from '../../../fields/jsonSchema.ts';
import { actions } from '../../../rules/access.ts';
import { maxActorKeyLength } from '../../../rules/actors.ts';
import { versionName } from '../../../rules/names.ts';
import { allStatuses } from '../../../rules/publication.ts';
import { maxActorKeys } from '../../../inputs/acl.ts';
import { maxOperations } from '../../../inputs/bulk.ts';
import {
  channelPatchInput,
  languages,
  maxLayoutBytes,
  newChannelInput,
  ofChannels,
} from '../../../management/channels/input.ts';
import { customerPatchInput, newCustomerInput, timeMembers } from '../../../inputs/customer.ts';
import { maxRuleKeys } from '../../../rules/fieldRules.ts';
import { fieldMembersInput, maxFields } from '../../../management/channels/fieldInput.ts';
import type { BodySchemaName } from '../../../rest/description.ts';
import { lifetimeInput, newTokenInput } from '../../../management/tokens/input.ts';
import { newWebhookInput, overlapInput, readOnly as ofWebhooks, webhookPatchInput } from '../../webhooks/input.ts';

/** An access list, by actor keys. */
export const accessListSchema: JsonSchema = { ...describeAccessList((schema) => schema), maxProperties: maxActorKeys };
/** A merge patch of an access list: null removes an actor, or the rule for an action. */
export const accessPatchSchema: JsonSchema = describeAccessList(orNull);

/** @param describeMember makes the schema of a member from that of its value */
function describeAccessList(
  describeMember: (schema: JsonSchema) => JsonSchema,
): Readonly<Record<string, JsonSchema | string>> {
  return {
    type: 'object',
    propertyNames: { type: 'string', maxLength: maxActorKeyLength },
    additionalProperties: describeMember({
      type: 'object',
      properties: Object.fromEntries(actions.map((action) => [action, describeMember({ type: 'boolean' })])),
      additionalProperties: false,
    }),
  };
}

/** The values that callers may send: null clears a member, or leaves its value to the service. */
const sentForms: Readonly<Record<SettableForm, object>> = {
  text: { type: ['string', 'null'] },
  textOrNull: { type: ['string', 'null'] },
  timeOrNull: { type: ['string', 'null'], format: 'date-time' },
  status: { type: 'string', enum: allStatuses },
  accessList: { anyOf: [{ $ref: '#/components/schemas/AccessList' }, { type: 'null' }] },
};
const remarks: Partial<Record<SettableMember, string>> = { slug: 'Null makes a slug of the title.' };

function settableSchema(name: SettableMember): JsonSchema {
  const member = members[name];
  return {
    ...sentForms[member.form],
    ...('maxLength' in member && { maxLength: member.maxLength }),
    ...(remarks[name] !== undefined && { description: remarks[name] }),
  };
}

/** Members of a payload that are ignored accept any value, so that an answer can be sent back. */
export const readOnlySchema: JsonSchema = { readOnly: true };

/**
 * The fixed members of a payload under their names in REST: those that the caller sets, and those that are ignored.
 * @param mayBeSet the members that the caller may set
 */
export function fixedMemberSchemas(mayBeSet: ReadonlySet<SetBy>): Record<string, JsonSchema> {
  const all = Object.values(members).map(({ rest }) => [rest, readOnlySchema] as const);
  const set = settableMembers.flatMap((name) => {
    const { rest, setBy } = members[name];
    return mayBeSet.has(setBy) ? [[rest, settableSchema(name)] as const] : [];
  });
  return Object.fromEntries([...all, [versionName, readOnlySchema], ...set]);
}

/** The fixed members of a merge patch. @param payloadSchemas those of a payload */
export function patchedMemberSchemas(payloadSchemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const acl = members.acl.rest;
  if (payloadSchemas[acl] === readOnlySchema) return payloadSchemas;
  return { ...payloadSchemas, [acl]: { anyOf: [{ $ref: '#/components/schemas/AccessListPatch' }, { type: 'null' }] } };
}

/** A body without members. */
const noMembers: JsonSchema = { type: 'object', additionalProperties: false };

/** The body of publishing an entry. @param entry the schema of an update */
export function publicationSchema(entry: JsonSchema): JsonSchema {
  const publishAt = {
    ...sentForms.timeOrNull,
    description: 'When; null for at once. Absent: the time that the entry has.',
  };
  return { type: 'object', properties: { publish_at: publishAt, entry: orNull(entry) }, additionalProperties: false };
}

/**
 * The body of a bulk request.
 * @param data the schemas of payloads
 */
export function bulkSchema(data: {
  readonly create: JsonSchema;
  readonly update: JsonSchema;
  /** Null for callers that may not publish. */
  readonly publish: JsonSchema | null;
}): JsonSchema {
  const id = { type: 'string' };
  const ifMatch = { type: ['string', 'null'], description: 'Entity tags, as in the header If-Match.' };
  const operation = (op: string, properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema => ({
    type: 'object',
    properties: { op: { const: op }, ...properties },
    required: ['op', ...required],
    additionalProperties: false,
  });
  const operations = [
    operation(
      'create',
      { id: orNull({ type: 'string', format: 'uuid' }), if_match: { type: 'null' }, data: data.create },
      ['data'],
    ),
    operation('update', { id, if_match: ifMatch, data: data.update }, ['id', 'data']),
    operation('delete', { id, if_match: ifMatch, data: { type: 'null' } }, ['id']),
    ...(data.publish === null
      ? []
      : [
          operation('publish', { id, if_match: ifMatch, data: orNull(data.publish) }, ['id']),
          operation('unpublish', { id, if_match: ifMatch, data: orNull(noMembers) }, ['id']),
        ]),
  ];
  return {
    type: 'object',
    properties: {
      atomic: { type: 'boolean', description: 'Whether all operations are done, or none. Absent: false.' },
      operations: { type: 'array', items: { oneOf: operations }, minItems: 1, maxItems: maxOperations },
    },
    required: ['operations'],
    additionalProperties: false,
  };
}

/**
 * The JSON Schema of a body that `parseSent` reads.
 * @param names the name in REST by the name in the schema, where they differ
 * @param readOnly the members that are ignored
 * @param others the schemas of members that zod's own conversion does not know
 */
function bodySchema(
  schema: z.ZodObject,
  {
    names = {},
    takesOlderNames = false,
    readOnly = [],
  }: { names?: Readonly<Record<string, string>>; takesOlderNames?: boolean; readOnly?: readonly string[] } = {},
  others: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const nameOf = (name: string): string => names[name] ?? name;
  const own = Object.entries(properties).map(
    ([name, each]) => [nameOf(name), others[name] ?? (withUpperCase(each) as JsonSchema)] as const,
  );
  const byName = new Map(own);
  const older = Object.entries(takesOlderNames ? names : {}).map(
    ([old, name]) => [old, asDeprecated(byName.get(name) ?? true, name)] as const,
  );
  return {
    type: 'object',
    properties: Object.fromEntries([...readOnly.map((name) => [name, readOnlySchema] as const), ...own, ...older]),
    ...(required.length > 0 && { required: required.map(nameOf) }),
    additionalProperties: false,
  };
}

/** Adds to each word of a schema its upper case, which bodies of management may use. */
function withUpperCase(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withUpperCase);
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword !== 'enum') return [keyword, withUpperCase(value)];
    const words = value as string[];
    return [keyword, [...words, ...words.map((word) => word.toUpperCase())]];
  });
  return Object.fromEntries(entries);
}

const channelSchemas = {
  layout: orNull({ type: 'object', description: `At most ${maxLayoutBytes} bytes of JSON.` }),
  language: { type: 'string', enum: languages },
  fields: { type: 'array', items: { $ref: '#/components/schemas/NewField' }, maxItems: maxFields },
};
const newChannelMembers = {
  ...channelSchemas,
  language: orNull(channelSchemas.language),
  fields: orNull(channelSchemas.fields),
};
const actorKeys = orNull({ type: 'array', items: { type: 'string' }, maxItems: maxRuleKeys });
const newFieldMembers = { read: actorKeys, write: actorKeys, readable: readOnlySchema, writable: readOnlySchema };
const inRest = { names: { expiresAt: 'expires_at', ttlSeconds: 'ttl_seconds' } };

/** The bodies of management, by the names of their schemas. */
export const managementBodies = {
  NewField: bodySchema(fieldMembersInput, {}, newFieldMembers),
  NewChannel: bodySchema(newChannelInput, ofChannels, newChannelMembers),
  ChannelChange: bodySchema(channelPatchInput, { ...ofChannels, readOnly: ['id'] }, channelSchemas),
  NewCustomer: bodySchema(newCustomerInput, { readOnly: timeMembers }),
  CustomerChange: bodySchema(customerPatchInput, { readOnly: ['id', ...timeMembers] }),
  MemberChange: bodySchema(memberRolesInput, { readOnly: readOnlyOfMembers }),
  NewInvitation: bodySchema(newInvitationInput, {
    names: { expiresAt: 'expires_at' },
    readOnly: readOnlyOfInvitations,
  }),
  NewRole: bodySchema(newRoleInput, { readOnly: readOnlyOfRoles }),
  RoleChange: bodySchema(rolePatchInput, { readOnly: ['id', ...readOnlyOfRoles] }),
  NewToken: bodySchema(newTokenInput, inRest),
  NewSession: bodySchema(lifetimeInput, inRest),
  NewWebhook: bodySchema(newWebhookInput, { readOnly: ofWebhooks }),
  WebhookChange: bodySchema(webhookPatchInput, { readOnly: ofWebhooks }),
  NoMembers: noMembers,
  SecretOverlap: bodySchema(overlapInput, { names: { overlapSeconds: 'overlap_seconds' } }),
} satisfies Record<BodySchemaName, JsonSchema>;

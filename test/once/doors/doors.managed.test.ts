// The fields of what master tokens manage, each with every kind of caller: what test/once/doors/doors.ts says of them is so.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { fieldsOf } from '../../support/doors.ts';
import { kinds, type Place } from '../../support/sites.ts';
import { cellOf } from './doors.ts';
import { suiteSites } from '../../support/scene.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

const { sites } = await suiteSites();

const decision = '{ allowed decidedBy key scope right considered { key says } }';
const changed = '{ count entries { id slug titleFieldValue } }';
const sample = `{ appear ${changed} disappear ${changed} }`;

const webhook = { url: 'https://127.0.0.1/', types: null, channels: null, audience: 'MANAGEMENT', enabled: false };
/** A test of this file may have changed the secret. */
const webhookState = {
  ...{ disabledReason: null, failingSince: null, oldSecretUntil: null },
  ...{ createdAt: time, updatedAt: time },
};

/**
 * The types that master tokens alone reach, or these and user tokens: a query for all of one, and what it says of the caller's own
 * site.
 */
const managed: Record<string, { query: (place: Place) => string; told: (place: Place) => object }> = {
  CustomerConnection: {
    query: () => `{ it: customers { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { id email name roles createdAt updatedAt } edges { cursor node { id email name roles createdAt updatedAt } } } }`,
    told: ({ ownCustomer }) => {
      const customers = [ownCustomer.id, 'ada'].map((id) => {
        return { id, email: null, name: null, roles: [], createdAt: time, updatedAt: time };
      });
      const cursor = expect.stringMatching(/^[\w-]{20,}$/);
      const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: cursor, endCursor: cursor };
      return { totalCount: 2, pageInfo, nodes: customers, edges: customers.map((node) => ({ cursor, node })) };
    },
  },
  Session: {
    query: ({ ownCustomer }) =>
      `{ it: sessions(customer: "${ownCustomer.id}") { id customer createdAt expiresAt revokedAt lastUsedAt } }`,
    told: ({ ownCustomer: { id: customer, sessionId: id } }) => [
      { id, customer, createdAt: time, expiresAt: time, revokedAt: null, lastUsedAt: null },
    ],
  },
  Token: {
    query: () => '{ it: tokens { id kind name scopes createdAt expiresAt revokedAt lastUsedAt } }',
    told: ({ tokenId: id }) => {
      const token = {
        id,
        kind: 'PUBLIC',
        name: null,
        scopes: null,
        createdAt: time,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      };
      return expect.arrayContaining([token]);
    },
  },
  AccessExplanation: {
    query: (place) =>
      `{ it: accessExplanation(channel: "articles", id: "${place === sites.there ? 'theirs' : 'open'}", as: { roles: [] }) {
        create ${decision} read ${decision} update ${decision} delete ${decision} publish ${decision} publication { visible since until }
        fields { name read { allowed key } write { allowed key } } } }`,
    told: () => {
      const byScope = { allowed: true, decidedBy: 'DEFAULT', key: null, right: null, considered: [] };
      return {
        publish: { ...byScope, allowed: false, scope: null },
        create: { ...byScope, decidedBy: 'CHANNEL', scope: 'SHARED' },
        read: { ...byScope, scope: 'PUBLIC' },
        update: { ...byScope, scope: 'SHARED' },
        delete: { ...byScope, scope: 'SHARED' },
        publication: { visible: true, since: null, until: null },
        fields: [],
      };
    },
  },
  ChannelAclPreview: {
    query: ({ ownChannel }) =>
      `{ it: channelAclPreview(channel: "${ownChannel}", acl: {}) { exact anonymous ${sample} customer ${sample} } }`,
    told: () => {
      const none = { count: 0, entries: [] };
      const nothing = { appear: none, disappear: none };
      return { exact: true, anonymous: nothing, customer: nothing };
    },
  },
  Rights: {
    query: ({ ownChannel }) => `{ it: rights(channel: "${ownChannel}") { create access update delete publish } }`,
    told: () => ({
      create: expect.any(Boolean),
      access: expect.any(Boolean),
      ...{ update: null, delete: null, publish: null },
    }),
  },
  Invitation: {
    query: () => '{ it: invitations { id email roles createdAt expiresAt } }',
    told: ({ invitation: id }) => {
      const times = { createdAt: time, expiresAt: time };
      return expect.arrayContaining([{ id, email: `${id}@example.com`, roles: ['viewer'], ...times }]);
    },
  },
  InvitationWithUrl: {
    query: ({
      role,
    }) => `mutation { it: inviteMember(input: { email: "${role}-${randomUUID()}@example.com", roles: [] }) {
      id email roles expiresAt url } }`,
    told: ({ role }) => {
      const email = expect.stringContaining(role);
      return { id: uuid, email, roles: [], expiresAt: time, url: expect.stringMatching(/#ew_link_\w{49}$/) };
    },
  },
  Role: {
    query: () => '{ it: roles { id name rights builtIn createdAt updatedAt } }',
    told: ({ role: id }) =>
      expect.arrayContaining([{ id, name: null, rights: [], builtIn: false, createdAt: time, updatedAt: time }]),
  },
  SessionWithToken: {
    query: ({ ownCustomer }) =>
      `mutation { it: createSession(customer: "${ownCustomer.id}", ttlSeconds: 1) { id token customer expiresAt } }`,
    told: ({ ownCustomer: { id } }) => {
      return { id: uuid, token: expect.stringMatching(/^ew_session_\w{49}$/), customer: id, expiresAt: time };
    },
  },
  Webhook: {
    query: () =>
      `{ it: webhooks { id url types channels audience enabled disabledReason failingSince oldSecretUntil createdAt
        updatedAt } }`,
    told: ({ webhook: { id } }) => expect.arrayContaining([{ id, ...webhook, ...webhookState }]),
  },
  AuditConnection: {
    query: ({ auditId }) =>
      `{ it: auditLog(subject: "${auditId}") { totalCount pageInfo { hasNextPage } edges { cursor node { id } } nodes {
        id at type subject action actor { kind token user customer name } before after requestId address } } }`,
    told: ({ auditId: id }) => {
      const actor = { kind: 'OPERATOR', token: null, user: null, customer: null, name: 'root' };
      const change = { type: 'CHANNEL', subject: id, action: 'UPDATED', before: { name: 'A' }, after: { name: 'B' } };
      return {
        totalCount: 1,
        pageInfo: { hasNextPage: false },
        edges: [{ cursor: expect.any(String), node: { id } }],
        nodes: [{ id, at: time, ...change, actor, requestId: 'a-request', address: '192.0.2.1' }],
      };
    },
  },
  WebhookWithSecret: {
    query: ({ webhook: { id } }) =>
      `mutation { it: rotateWebhookSecret(id: "${id}") { id url types channels audience enabled secret } }`,
    told: ({ webhook: { id } }) => {
      return { id, ...webhook, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) };
    },
  },
  WebhookDeliveryConnection: {
    query: ({ webhook: { id } }) =>
      `{ it: webhookDeliveries(webhook: "${id}") { totalCount pageInfo { hasNextPage } edges { cursor } nodes {
        id webhook change { id } attempt at status error milliseconds answer nextAttemptAt } } }`,
    told: ({ webhook: { id: hook, deliveryId: id } }) => {
      const outcome = { status: 200, error: null, milliseconds: 5, answer: null, nextAttemptAt: null };
      return {
        totalCount: 1,
        pageInfo: { hasNextPage: false },
        edges: [{ cursor: expect.any(String) }],
        nodes: [{ id, webhook: hook, change: null, attempt: 1, at: time, ...outcome }],
      };
    },
  },
  TokenWithSecret: {
    query: () => 'mutation { it: createToken(input: { kind: PUBLIC }) { id kind name scopes token expiresAt } }',
    told: () => {
      return {
        id: uuid,
        kind: 'PUBLIC',
        name: null,
        scopes: null,
        token: expect.stringMatching(/^ew_public_\w{49}$/),
        expiresAt: null,
      };
    },
  },
};

describe.each(Object.entries(managed))('%s', (type, { query, told }) => {
  test.each(kinds)('the type of management answers %s as the table of doors says', async (kind) => {
    const cell = cellOf(type, '*', kind);
    const place = cell === 'own' ? sites.there : sites.here;
    const { status, data, errors } = await sites.ask(kind).gql<{ it: unknown } | undefined>(query(place));
    const code = status === 200 ? (errors?.[0]?.extensions.code ?? 'OK') : String(status);
    const isTold = cell === 'yes' || cell === 'own';
    expect([cell, code, data?.it ?? null]).toEqual([cell, isTold ? 'OK' : cell, isTold ? told(place) : null]);
  });
});

test('the tests of management select each field of its types', () => {
  const types = ['Customer', 'CustomerConnection', 'CustomerEdge', 'Session', 'SessionWithToken', 'Token'];
  const auditing = ['AuditRecord', 'AuditActor', 'AuditConnection', 'AuditEdge'];
  const explaining = ['AccessExplanation', 'AccessDecision', 'ConsideredKey', 'PublicationSight', 'Rights'];
  const previewing = ['ChannelAclPreview', 'SightChange', 'ChangedEntries', 'EntryStub'];
  const fields = [...fieldsOf(createSchema(resolvers)).keys()].filter((field) =>
    [...types, ...auditing, ...explaining, ...previewing, 'TokenWithSecret'].includes(field.split('.')[0] ?? ''),
  );
  const words = new Set(
    Object.values(managed)
      .map(({ query }) => query(sites.here))
      .join(' ')
      .split(/\W+/),
  );
  expect(fields.length).toBeGreaterThan(30);
  expect(fields.filter((field) => !words.has(field.split('.')[1] ?? ''))).toEqual([]);
});

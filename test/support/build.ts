// Builders: rows of the database, with parents made where none are given. What a test depends on, it passes.
import { randomUUID } from 'node:crypto';
import { customAlphabet } from 'nanoid';
import { v7 as uuidv7 } from 'uuid';
import { mintToken } from '../../src/auth/tokens.ts';
import { blankMembers } from '../../src/entries/members.ts';
import type { EntryRow } from '../../src/entries/row.ts';
import { statementsWithin } from '../../src/database/statements.ts';
import { serviceActor } from '../../src/rules/author.ts';
import { entriesOn } from '../../src/entries/model.ts';
import type { EntryValues } from '../../src/entries/draft.ts';
import { plainField, type FieldDefinition } from '../../src/fields/definition.ts';
import { searchedText } from '../../src/search/text.ts';
import { takeFreely } from '../../src/fields/patterns.ts';
import { entryTitle, indexedValues, storedForm } from '../../src/fields/stored.ts';
import type { Channel, Prisma, PrismaClient } from '../../src/generated/prisma/client.ts';

const shortId = customAlphabet('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 10);

export interface TestSite {
  readonly id: string;
  /** A master token and a public token of the site. */
  readonly master: string;
  readonly public: string;
}

/** A site with a master and a public token. */
export async function buildSite(db: PrismaClient, { id = `site-${randomUUID()}` } = {}): Promise<TestSite> {
  const createdAt = new Date();
  await db.site.create({ data: { id, name: id, createdAt } });
  return {
    id,
    master: (await buildToken(db, { kind: 'master', siteId: id })).token,
    public: (await buildToken(db, { kind: 'public', siteId: id })).token,
  };
}

/** A token of a site or of a user. Scopes are sent as they are stored: they name channels by their `uid`s. */
export async function buildToken(
  db: PrismaClient,
  bound:
    | { kind: 'master' | 'public'; siteId: string; scopes?: string }
    | { kind: 'user'; userId: string; siteId?: string; scopes?: string },
  { expiresAt = null, revokedAt = null }: { expiresAt?: Date | null; revokedAt?: Date | null } = {},
): Promise<{ id: string; token: string }> {
  const { token, hash } = mintToken(bound.kind);
  const id = uuidv7();
  await db.token.create({ data: { id, hash, createdAt: new Date(), expiresAt, revokedAt, ...bound } });
  return { id, token };
}

/** Many tokens of a site or of a user at once. */
export async function buildTokens(
  db: PrismaClient,
  bound: { kind: 'master' | 'public'; siteId: string } | { kind: 'user'; userId: string },
  count: number,
): Promise<string[]> {
  const minted = Array.from({ length: count }, () => mintToken(bound.kind));
  const createdAt = new Date();
  await db.token.createMany({ data: minted.map(({ hash }) => ({ id: uuidv7(), hash, createdAt, ...bound })) });
  return minted.map(({ token }) => token);
}

/** A user, a member of the sites named, with a token. */
export async function buildUser(
  db: PrismaClient,
  { memberOf = [] }: { memberOf?: string[] } = {},
): Promise<{ id: string; token: string }> {
  const id = uuidv7();
  const createdAt = new Date();
  await db.user.create({ data: { id, email: `${id}@example.com`, createdAt } });
  for (const siteId of memberOf) await db.membership.create({ data: { siteId, userId: id, createdAt } });
  return { id, token: (await buildToken(db, { kind: 'user', userId: id })).token };
}

/** A user with roles in a site, with a token. */
export async function buildMember(
  db: PrismaClient,
  siteId: string,
  roles: string[] = [],
): Promise<{ id: string; token: string }> {
  const user = await buildUser(db);
  await db.membership.create({ data: { siteId, userId: user.id, roles, createdAt: new Date() } });
  return user;
}

/** A role of a site, whose rights are texts as they are stored. Returns its id. */
export async function buildRole(
  db: PrismaClient,
  siteId: string,
  { id, rights = [] }: { id: string; rights?: string[] },
): Promise<string> {
  const now = new Date();
  await db.role.create({ data: { siteId, id, rights, createdAt: now, updatedAt: now } });
  return id;
}

/** An open invitation to a site, in the name of no member, with the token of its link. */
export async function buildInvitation(
  db: PrismaClient,
  siteId: string,
  {
    roles = ['viewer'],
    ...overrides
  }: Partial<{ email: string; roles: string[]; invitedBy: string; expiresAt: Date }> = {},
): Promise<{ id: string; email: string; token: string }> {
  const { token, hash } = mintToken('link');
  const id = uuidv7();
  const createdAt = new Date();
  const data = { email: `${id}@example.com`, createdAt, expiresAt: new Date(createdAt.getTime() + 86_400_000) };
  const { email } = await db.invitation.create({ data: { siteId, id, hash, roles, ...data, ...overrides } });
  return { id, email, token };
}

export interface TestCustomer {
  readonly id: string;
  readonly sessionId: string;
  /** A session token. */
  readonly session: string;
}

/** A customer of a site, signed in. */
export async function buildCustomer(
  db: PrismaClient,
  siteId: string,
  { id = uuidv7(), roles = [] }: { id?: string; roles?: string[] } = {},
  session: { expiresAt?: Date; revokedAt?: Date } = {},
): Promise<TestCustomer> {
  const now = new Date();
  await db.customer.create({ data: { siteId, id, roles, createdAt: now, updatedAt: now } });
  const { token, hash } = mintToken('session');
  const sessionId = uuidv7();
  const expiresAt = new Date(now.getTime() + 3_600_000);
  await db.session.create({
    data: { siteId, id: sessionId, customerId: id, hash, createdAt: now, expiresAt, ...session },
  });
  return { id, sessionId, session: token };
}

function withDefaults(field: Partial<FieldDefinition>): Prisma.InputJsonObject {
  return { ...plainField, ...field } as unknown as Prisma.InputJsonObject;
}

/** A channel: not publishable, readable by all and written by master tokens alone, unless told otherwise. */
export async function buildChannel(
  db: PrismaClient,
  siteId: string,
  {
    fields = [],
    ...overrides
  }: Partial<
    Omit<Channel, 'siteId' | 'fields' | 'fieldRules' | 'layout' | 'changedBy'> & {
      fields: Partial<FieldDefinition>[];
      layout: Prisma.InputJsonObject;
    }
  > = {},
): Promise<Channel> {
  const now = new Date();
  return db.channel.create({
    data: {
      siteId,
      uid: uuidv7(),
      id: `channel-${randomUUID().slice(0, 8)}`,
      name: 'A channel',
      publishable: false,
      createScope: 'none',
      readScope: 'public',
      updateScope: 'none',
      deleteScope: 'none',
      titleField: 'title',
      language: 'english',
      fields: fields.map(withDefaults),
      createdAt: now,
      updatedAt: now,
      ...overrides,
    },
  });
}

/** An entry: published, without owner, access list or fields, unless told otherwise. */
export async function buildEntry(
  db: PrismaClient,
  channel: Channel,
  {
    createdAt = new Date(),
    ...overrides
  }: Partial<Omit<EntryValues, 'title' | 'kept' | 'indexed' | 'searched'>> & { createdAt?: Date } = {},
): Promise<EntryRow> {
  const id = uuidv7();
  const data = overrides.data ?? {};
  const stored = storedForm(data, channel, takeFreely);
  const values: EntryValues = {
    ...blankMembers,
    slug: `entry-${id.slice(-12)}`,
    status: 'published',
    ...overrides,
    ...stored,
    title: entryTitle(stored.data, channel),
    indexed: indexedValues(stored.data, channel),
    searched: searchedText(stored.data, channel),
  };
  const [row = 'overtaken'] = await entriesOn(statementsWithin(db)).insertDrafts(
    channel,
    [{ id, shortId: shortId(), values }],
    { actor: serviceActor, now: createdAt },
  );
  if (typeof row === 'string' || 'taken' in row) throw new Error(`The entry was not stored: ${JSON.stringify(row)}.`);
  return row;
}

/** A webhook that sends nothing unasked, to an address that is refused, and an attempt in its log. */
export async function buildWebhook(db: PrismaClient, siteId: string): Promise<{ id: string; deliveryId: string }> {
  const now = new Date();
  const [id, deliveryId] = [uuidv7(), uuidv7()];
  const lists = { types: [], channels: [] };
  const state = { enabled: false, secret: new Uint8Array(32), cursor: '', createdAt: now, updatedAt: now };
  await db.webhook.create({
    data: { siteId, id, url: 'https://127.0.0.1/', audience: 'management', ...lists, ...state },
  });
  const attempt = {
    type: 'webhook.test',
    changedAt: now,
    cursor: id,
    audience: 'management',
    attempt: 1,
    at: now,
  } as const;
  await db.webhookDelivery.create({
    data: { siteId, id: deliveryId, webhookId: id, ...attempt, status: 200, milliseconds: 5 },
  });
  return { id, deliveryId };
}

/** A record of the audit log, about a channel that is not there. @returns its id, which is also that of the channel */
export async function buildAuditRecord(db: PrismaClient, siteId: string): Promise<string> {
  const id = uuidv7();
  const change = { type: 'channel', subject: id, action: 'updated', before: { name: 'A' }, after: { name: 'B' } };
  const by = { actorKind: 'operator', actorName: 'root', requestId: 'a-request', address: '192.0.2.1' };
  await db.auditRecord.create({ data: { siteId, id, at: new Date(), ...change, ...by, bytes: 25 } });
  return id;
}

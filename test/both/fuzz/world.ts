// Two sites that a round of requests is sent to. The vault is protected: what it hides must stay hidden and unchanged,
// and no master token of it is ever used. In play everything may be changed. Everything that somebody may not see holds
// a word that stands nowhere else, a canary, so that an answer that tells it gives itself away.
import { mintToken } from '../../../src/auth/tokens.ts';
import type { Channel, PrismaClient } from '../../../src/generated/prisma/client.ts';
import type { TestApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import {
  buildChannel,
  buildCustomer,
  buildEntry,
  buildInvitation,
  buildMember,
  buildRole,
  buildSite,
  buildToken,
  buildUser,
  buildWebhook,
} from '../../support/build.ts';
import type { Random } from '../../support/random.ts';
import { channels, kept, views, type Kept, type View } from './world.table.ts';

export interface Canary {
  /** What it stands in. */
  readonly where: string;
  readonly seenBy: ReadonlySet<View>;
}

export interface World {
  /** What the names in requests stand for. */
  readonly values: ReadonlyMap<string, string>;
  readonly canaries: ReadonlyMap<string, Canary>;
  readonly vault: string;
  readonly play: string;
}

/** Every canary in a text that was made lower-case. */
export const canaryShape = /cnry[0-9a-z]{10}/g;

class Builder {
  readonly values = new Map<string, string>();
  readonly canaries = new Map<string, Canary>();
  readonly #db: PrismaClient;
  readonly #random: Random;

  constructor(db: PrismaClient, random: Random) {
    this.#db = db;
    this.#random = random;
  }

  /** A site by the table. */
  async site(name: 'vault' | 'play'): Promise<{ id: string; master: string }> {
    const db = this.#db;
    const { id, master, public: visitor } = await buildSite(db);
    await db.token.updateMany({ where: { siteId: id }, data: { name: this.canary(`${name}: token's name`, '') } });
    const spare = await buildToken(db, { kind: 'public', siteId: id });
    const past = new Date(Date.now() - 60_000);
    const ended = await buildCustomer(db, id, {}, { revokedAt: past });
    const revoked = await buildToken(db, { kind: 'public', siteId: id }, { revokedAt: past });
    // In play somebody can sign out; in the vault that session has ended already.
    const leaving = name === 'play' ? await buildCustomer(db, id) : ended;
    this.#name(name, { site: id, public: visitor, ended: ended.session, revoked: revoked.token });
    this.#name(name, { leaving: leaving.session });
    const hook = await buildWebhook(db, id);
    const [dropped, gone] = [await buildWebhook(db, id), await buildWebhook(db, id)];
    this.#name(name, { 'spare.webhook': hook.id, 'spare.delivery': hook.deliveryId });
    this.#name(name, { 'dropped.webhook': dropped.id, 'gone.webhook': gone.id });
    for (const use of ['spare', 'dropped', 'gone']) {
      const { id: member } = await buildMember(db, id);
      const role = await buildRole(db, id, { id: `${use}-role`, rights: ['read'] });
      const { id: invitation } = await buildInvitation(db, id, { roles: [] });
      const things = { [`${use}.member`]: member, [`${use}.role`]: role, [`${use}.invitation`]: invitation };
      this.#name(name, things);
    }
    this.#name(name, { 'spare.token': spare.id, unknown: mintToken('public').token });
    await this.#customers(name, id);
    for (const [channel, { publishable, ...scopes }] of Object.entries(channels)) {
      const row = await buildChannel(db, id, {
        id: channel,
        name: this.canary(`${name}: ${channel}'s name`, 'V A B S SA SB'),
        description: this.canary(`${name}: ${channel}'s description`, 'S SA SB'),
        publishable,
        createScope: scopes.create,
        readScope: scopes.read,
        // Customers of play may change more, so that updates do happen.
        updateScope: name === 'play' ? 'shared' : scopes.update,
        deleteScope: name === 'play' ? 'shared' : scopes.delete,
      });
      for (const entry of kept) if (entry.channel === channel) await this.#entry(name, row, entry);
    }
    await this.#links(name, id);
    return { id, master };
  }

  /** An entry that refers to all news, for everybody to follow as far as they see. */
  async #links(name: string, siteId: string): Promise<void> {
    const channel = await buildChannel(this.#db, siteId, {
      id: 'links',
      createScope: name === 'play' ? 'public' : 'none',
      fields: [
        { name: 'author', type: 'reference', channel: 'news' },
        { name: 'links', type: 'references', channel: 'news' },
        { name: 'next', type: 'reference', channel: 'links' },
      ],
    });
    const news = kept
      .filter((entry) => entry.channel === 'news')
      .map(({ key }) => this.values.get(`${name}.${key}.id`));
    const row = await buildEntry(this.#db, channel, { data: { author: news[2] ?? '', links: news } });
    await buildEntry(this.#db, channel, { data: { next: row.id } });
    this.#name(name, { 'links.id': row.id });
  }

  /** A word that stands for what callers of the vault see of the vault, and those of play of play. */
  canary(where: string, seenBy: string): string {
    const word = `cnry${Array.from({ length: 10 }, () => this.#random.upTo(35).toString(36)).join('')}`;
    const isPlay = where.startsWith('play');
    this.canaries.set(word, { where, seenBy: new Set(isPlay ? ['P'] : views(seenBy)) });
    return word;
  }

  name(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) this.values.set(name, value);
  }

  #name(site: string, values: Record<string, string>): void {
    this.name(Object.fromEntries(Object.entries(values).map(([name, value]) => [`${site}.${name}`, value])));
  }

  /** Ann, Bob and one who never calls. User tokens read whose an entry is. */
  async #customers(name: string, siteId: string): Promise<void> {
    const seenBy = { ann: 'A S SA SB', bob: 'B S SA SB', other: 'S SA SB' };
    for (const customer of ['ann', 'bob', 'other'] as const) {
      const id = `${customer}-${this.canary(`${name}: ${customer}'s id`, seenBy[customer])}`;
      const roles = customer === 'ann' ? ['editor'] : [];
      const { session, sessionId } = await buildCustomer(this.#db, siteId, { id, roles });
      this.#name(name, { [`id.${customer}`]: id, [customer]: session });
      if (customer === 'other') this.#name(name, { 'spare.session': sessionId });
      const email = `${this.canary(`${name}: ${customer}'s email`, '')}@example.com`;
      const data = { email, name: this.canary(`${name}: ${customer}'s name`, '') };
      await this.#db.customer.update({ where: { siteId_id: { siteId, id } }, data });
    }
  }

  async #entry(name: string, channel: Channel, entry: Kept): Promise<void> {
    const { key, sees, seesSlug = '', owner, acl = {} } = entry;
    const about = `${name}: ${key}'s`;
    // `_acl` and `_owner` are for user tokens that see the entry, and for its owner.
    const owners = owner === 'ann' ? ['A', 'SA'] : owner === 'bob' ? ['B', 'SB'] : [];
    const reading = views(sees);
    const privileged = reading.filter((view) => view.startsWith('S') || owners.includes(view)).join(' ');
    const customer = (who: string): string => this.values.get(`${name}.id.${who}`) ?? '';
    const rules = Object.entries(acl).map(([actor, rule]) => [
      actor === 'ann' || actor === 'bob' ? customer(actor) : actor,
      rule,
    ]);
    const row = await buildEntry(this.#db, channel, {
      slug: `s-${this.canary(`${about} slug`, `${sees} ${seesSlug}`)}`,
      status: entry.status,
      publishAt: entry.publishAt === undefined ? null : new Date(entry.publishAt),
      owner: owner === undefined ? null : customer(owner),
      acl: {
        ...(Object.fromEntries(rules) as typeof acl),
        [`role:${this.canary(`${about} access list`, privileged)}`]: { read: true },
      },
      data: {
        title: `Of ${this.canary(`${about} title`, sees)}`,
        body: { text: [this.canary(`${about} body`, sees)] },
        year: 1900 + key.length,
      },
    });
    this.#name(name, { [`${key}.id`]: row.id, [`${key}.short`]: row.shortId, [`${key}.slug`]: row.slug });
  }
}

/** Builds both sites, and one of each kind of credential. */
export async function buildWorld(app: TestApp, random: Random): Promise<World> {
  const db = app.database.prisma;
  const builder = new Builder(db, random);
  const vault = await builder.site('vault');
  const play = await builder.site('play');
  for (const id of ['spare', 'dropped', 'removed']) await buildChannel(db, play.id, { id, createScope: 'public' });
  const past = new Date(Date.now() - 60_000);
  const expired = await buildToken(db, { kind: 'master', siteId: play.id }, { expiresAt: past });
  const { token: staff, id: member } = await buildUser(db, { memberOf: [vault.id] });
  const { token: pat, id: writer } = await buildUser(db, { memberOf: [play.id] });
  const dana = (await buildUser(db, { memberOf: [vault.id, play.id] })).token;
  builder.name({ 'vault.id.member': member, 'play.id.member': writer });
  builder.name({ 'vault.staff': staff, 'play.pat': pat, 'both.dana': dana });
  builder.name({ 'play.master': play.master, 'play.expired': expired.token });
  builder.name({
    'vault.cursor': await cursorOf(app, { token: staff, site: vault.id }),
    'play.cursor': await cursorOf(app, { token: play.master }),
    'play.customers': await customersCursorOf(app, { token: play.master }),
    'play.members': await membersCursorOf(app, { token: play.master }),
    'play.deliveries': await deliveriesCursorOf(app, { token: play.master }, builder.values.get('play.spare.webhook')),
    'play.audit': await auditCursorOf(app, { token: play.master }),
  });
  return { values: builder.values, canaries: builder.canaries, vault: vault.id, play: play.id };
}

/** A place in the list of news. */
async function cursorOf(app: TestApp, credentials: Credentials): Promise<string> {
  const { data } = await as(app, credentials).gql<{ entries: { pageInfo: { endCursor: string } } }>(
    '{ entries(channel: "news", first: 1) { pageInfo { endCursor } } }',
  );
  return data.entries.pageInfo.endCursor;
}

/** A place in the list of customers. */
async function customersCursorOf(app: TestApp, credentials: Credentials): Promise<string> {
  const { headers } = await as(app, credentials).rest('GET', '/customers?per_page=1');
  return headers.get('x-next-cursor') ?? '';
}

async function membersCursorOf(app: TestApp, credentials: Credentials): Promise<string> {
  const { headers } = await as(app, credentials).rest('GET', '/members?per_page=1');
  return headers.get('x-next-cursor') ?? '';
}

/** A place in the log of a webhook. */
async function deliveriesCursorOf(app: TestApp, credentials: Credentials, webhook = ''): Promise<string> {
  const caller = as(app, credentials);
  await caller.rest('POST', `/webhooks/${webhook}/test`, { body: {} });
  const { headers } = await caller.rest('GET', `/webhooks/${webhook}/deliveries?per_page=1`);
  return headers.get('x-next-cursor') ?? '';
}

/** A place in the audit log. */
async function auditCursorOf(app: TestApp, credentials: Credentials): Promise<string> {
  const caller = as(app, credentials);
  for (const name of ['A', 'B']) await caller.rest('POST', '/customers', { body: { name } });
  const { headers } = await caller.rest('GET', '/audit?per_page=1');
  return headers.get('x-next-cursor') ?? '';
}

/** Empties both sites of what makes a database grow: one after the other, as a transaction on Citus changes one site. */
export async function clearWorld(db: PrismaClient, { vault, play }: World): Promise<void> {
  for (const siteId of [vault, play]) {
    await db.channel.deleteMany({ where: { siteId } });
    await db.session.deleteMany({ where: { siteId } });
    await db.customer.deleteMany({ where: { siteId } });
  }
}

// Two sites of the service, and what the model holds of them: the same names in both, callers of every kind.
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import type { PrismaClient } from '../../../src/generated/prisma/client.ts';
import { buildChannel, buildCustomer, buildRole, buildSite, buildToken, buildUser } from '../../support/build.ts';
import type { Client } from './client.ts';
import { Feeds } from './feed.ts';
import { channelIds, customerIds } from './steps.ts';
import type { Asker, Channel, Entry, Right } from './model.ts';

export interface WorldEntry {
  /** Empty until the service has given one. */
  id: string;
  readonly slug: string;
  readonly site: WorldSite;
  readonly channel: WorldChannel;
  state: Entry;
  values: Values;
  version: number;
}

/** What an entry's fields hold; absent members have no value. */
export interface Values {
  readonly title?: string;
  readonly word?: string;
  readonly n?: number;
  readonly friend?: WorldEntry;
  readonly friends?: readonly WorldEntry[];
}

export interface WorldChannel {
  readonly id: string;
  /** The channels that its references lead to; null where it declares no fields. */
  readonly leads: Leads | null;
  rules: Channel;
}

export interface Leads {
  readonly friend: string;
  readonly friends: string;
}

export interface WorldCustomer {
  readonly id: string;
  roles: readonly string[];
  session: { id: string; token: string };
}

export interface WorldSite {
  readonly id: string;
  readonly master: string;
  readonly channels: WorldChannel[];
  readonly customers: WorldCustomer[];
  /** The member of the site, the same user in both, and its roles there. */
  readonly userId: string;
  roles: readonly { readonly id: string; readonly rights: readonly Right[] }[];
}

/** Somebody who asks: a token of a kind, with access control or without, with a customer's session or without. */
export interface WorldCaller {
  readonly name: string;
  readonly site: WorldSite;
  readonly kind: Asker['kind'];
  readonly useAcl: boolean;
  readonly customer: WorldCustomer | null;
  token: { id: string; token: string };
}

/** Whether a caller is a member whose rights are asked: a user without a customer's session. */
export function isMember({ kind, customer }: WorldCaller): boolean {
  return kind === 'user' && customer === null;
}

export class World {
  readonly db: PrismaClient;
  readonly client: Client;
  readonly sites: WorldSite[] = [];
  readonly callers: WorldCaller[] = [];
  entries: WorldEntry[] = [];
  /** What was deleted. */
  gone: WorldEntry[] = [];
  /** Who follows the feed of changes, and what there was to see. */
  readonly feeds = new Feeds();
  /** How often lists were asked for: what is asked of them takes turns. */
  turn = 0;
  /** What the doors were asked last, and how things stood then. */
  readonly asked = new Map<string, string>();

  /** Records the publications whose time has come, as the service does every few seconds. */
  readonly announce: () => Promise<void>;

  private constructor(db: PrismaClient, client: Client, announce: () => Promise<void>) {
    this.db = db;
    this.client = client;
    this.announce = announce;
  }

  static async create(db: PrismaClient, client: Client, announce: () => Promise<void>): Promise<World> {
    const world = new World(db, client, announce);
    const user = await buildUser(db);
    for (const kinds of [everyCaller, someCallers]) await world.#addSite(user, kinds);
    return world;
  }

  async #addSite(user: { id: string; token: string }, kinds: readonly Kind[]): Promise<void> {
    const { id, master } = await buildSite(this.db);
    await this.db.membership.create({ data: { siteId: id, userId: user.id, createdAt: new Date() } });
    await buildRole(this.db, id, { id: ownRole, rights: [] });
    const channels: WorldChannel[] = [];
    for (const [index, channelId] of channelIds.entries()) {
      const rules = { publishable: index === 0, scopes: firstScopes[channelId] };
      const { create: createScope, read: readScope, update: updateScope, delete: deleteScope } = rules.scopes;
      const columns = { createScope, readScope, updateScope, deleteScope, publishable: rules.publishable };
      const leads = channelId === 'notes' && this.sites.length === 1 ? null : everyLead[channelId];
      const fields = leads ? fieldsOf(leads) : [];
      const { uid } = await buildChannel(this.db, id, { id: channelId, fields, ...columns });
      channels.push({ id: channelId, leads, rules: { uid, ...rules } });
    }
    const customers: WorldCustomer[] = [];
    for (const customerId of customerIds) {
      const { sessionId, session } = await buildCustomer(this.db, id, { id: customerId });
      customers.push({ id: customerId, roles: [], session: { id: sessionId, token: session } });
    }
    const site: WorldSite = { id, master, channels, customers, userId: user.id, roles: [] };
    this.sites.push(site);
    for (const { kind, useAcl = false, customer } of kinds) {
      const token =
        kind === 'user'
          ? await buildToken(this.db, { kind, userId: user.id })
          : await buildToken(this.db, { kind, siteId: id });
      const name = `${kind}${useAcl ? ' with use_acl' : ''}${customer === undefined ? '' : ` for ${customer}`} in site ${this.sites.length}`;
      const who = customers.find((each) => each.id === customer) ?? null;
      this.callers.push({ name, site, kind, useAcl, customer: who, token });
    }
  }

  /** A caller as the model sees it now. */
  asker(caller: WorldCaller): Asker {
    const { kind, useAcl, customer, site } = caller;
    const member = isMember(caller) ? { id: site.userId, rights: site.roles.flatMap(({ rights }) => rights) } : null;
    return { kind, useAcl, customer: customer && { id: customer.id, roles: customer.roles }, member };
  }

  entriesOf(site: WorldSite, channel?: WorldChannel): WorldEntry[] {
    return this.entries.filter((entry) => entry.site === site && (channel === undefined || entry.channel === channel));
  }

  headers({ token, customer, site, kind }: WorldCaller): Record<string, string> {
    return {
      Authorization: `Bearer ${token.token}`,
      ...(customer && { 'Session-Token': customer.session.token }),
      ...(kind === 'user' && { 'X-Service-Site': site.id }),
    };
  }

  rest(caller: WorldCaller, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const address = caller.useAcl ? `${path}${path.includes('?') ? '&' : '?'}use_acl=true` : path;
    return this.client.send(method, address, { ...this.headers(caller), ...headers }, body);
  }

  graphql(caller: WorldCaller, query: string, variables: Record<string, unknown> = {}) {
    const path = caller.useAcl ? '/graphql?use_acl=true' : '/graphql';
    return this.client.send('POST', path, this.headers(caller), { query, variables });
  }

  /** By the schema of the site. */
  typed(caller: WorldCaller, query: string, variables: Record<string, unknown> = {}) {
    const path = caller.useAcl ? '/graphql/site?use_acl=true' : '/graphql/site';
    return this.client.send('POST', path, this.headers(caller), { query, variables });
  }

  /** As the site's own master, whose token no history takes. */
  manage(site: WorldSite, query: string, variables: Record<string, unknown>) {
    return this.client.send('POST', '/graphql', { Authorization: `Bearer ${site.master}` }, { query, variables });
  }
}

/** The role of each site's own. */
export const ownRole = 'own';

/** What channels begin with: wide enough that anybody gets something done. */
const firstScopes: Record<(typeof channelIds)[number], Channel['scopes']> = {
  articles: { create: 'public', read: 'public', update: 'public', delete: 'shared' },
  notes: { create: 'shared', read: 'private', update: 'shared', delete: 'private' },
};

/** Where references lead: to their own channel and to the other. The second site's notes declare nothing. */
const everyLead: Record<(typeof channelIds)[number], Leads> = {
  articles: { friend: 'notes', friends: 'notes' },
  notes: { friend: 'notes', friends: 'articles' },
};

export const fieldsOf = ({ friend, friends }: Leads): Partial<FieldDefinition>[] => [
  { name: 'title', type: 'string' },
  { name: 'word', type: 'string' },
  { name: 'n', type: 'integer', indexed: true },
  { name: 'friend', type: 'reference', channel: friend },
  { name: 'friends', type: 'references', channel: friends },
];

interface Kind {
  readonly kind: Asker['kind'];
  readonly useAcl?: boolean;
  readonly customer?: string;
}

const [ada, editor, lookalike, colon] = customerIds;
/** The masters stand where steps.ts looks for them. */
const everyCaller: readonly Kind[] = [
  { kind: 'master' },
  { kind: 'master', useAcl: true },
  { kind: 'master', useAcl: true, customer: lookalike },
  { kind: 'public' },
  { kind: 'public', customer: ada },
  { kind: 'user', customer: colon },
  { kind: 'user' },
];
const someCallers: readonly Kind[] = [{ kind: 'master' }, { kind: 'public', customer: editor }, { kind: 'user' }];

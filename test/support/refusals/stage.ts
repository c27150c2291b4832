// Where refusals are tried: services on one database with small limits, and for each request an address and tokens that nobody
// has used before, so that what a refusal counts can be read from what is left.
import type { Socket } from 'node:net';
import { startApp, startUnopenedApp, type TestApp } from '../app.ts';
import {
  buildChannel,
  buildCustomer,
  buildEntry,
  buildInvitation,
  buildSite,
  buildToken,
  buildTokens,
  buildRole,
  buildUser,
  buildWebhook,
} from '../build.ts';
import { mistyped } from '../callers.ts';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { testDatabase } from '../db.ts';
import { exchangeBytes, holdOpen, leftOf, type Answer } from './answer.ts';
import { usualRequest, writeRequest, type Asked, type AskingCaller, type Ready, type ServiceName } from './asked.ts';

/** How many operations a minute may have. That of a token is passed before that of a fresh address. */
const limits = { address: 5, token: 3, publicToken: 6 };

const environment = {
  TRUST_PROXY: '1',
  METRICS_PORT: '0',
  RATE_LIMIT_ADDRESS: String(limits.address),
  RATE_LIMIT_TOKEN: String(limits.token),
  RATE_LIMIT_PUBLIC_TOKEN: String(limits.publicToken),
  BODY_LIMIT: '4000',
  URL_LIMIT: '1500',
  ANSWER_LIMIT: '400000',
  GRAPHQL_MAX_LENGTH: '1200',
  GRAPHQL_MAX_TOKENS: '220',
  GRAPHQL_MAX_DEPTH: '8',
  GRAPHQL_MAX_ALIASES: '6',
  GRAPHQL_MAX_ROOT_FIELDS: '12',
  GRAPHQL_MAX_COST: '900',
  STREAMS_PER_TOKEN: '1',
};

/** More bytes than an answer may have. */
const largeText = 'x'.repeat(450_000);

type Kind = AskingCaller['kind'];

/** A request that was sent, with what came back and who sent it. */
export interface Tried {
  readonly answer: Answer;
  readonly charged: () => Promise<string>;
}

export class Stage {
  readonly #services: Readonly<Record<ServiceName, TestApp>>;
  readonly #things: Awaited<ReturnType<typeof buildThings>>;
  readonly #database: PlainDatabase;
  readonly #pools: Record<Kind, string[]> = { master: [], public: [], user: [] };
  readonly #filling: Partial<Record<Kind, Promise<void> | undefined>> = {};
  readonly #open: Socket[] = [];
  #addresses = 0;

  private constructor(database: PlainDatabase, services: Record<ServiceName, TestApp>, things: Stage['things']) {
    this.#database = database;
    this.#services = services;
    this.#things = things;
  }

  static async open(): Promise<Stage> {
    const database = await testDatabase();
    const things = await buildThings(database);
    const { app: starting } = await startUnopenedApp(environment, database);
    const usual = await startApp(environment, database);
    const slow = await startApp({ ...environment, REQUEST_TIMEOUT: '4000' }, database);
    return new Stage(database, { usual, starting, slow }, things);
  }

  get things(): Awaited<ReturnType<typeof buildThings>> {
    return this.#things;
  }

  get metricsUrl(): string {
    return this.#services.usual.metricsUrl ?? '';
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    for (const app of Object.values(this.#services)) await app.close();
    await this.#database.close();
  }

  /** Sends a request as a caller of its own, after what was to be done beforehand. */
  async try(asked: Asked): Promise<Tried> {
    const { url } = this.#services[asked.service];
    const { kind } = asked.caller;
    const token = await this.#takeToken(kind);
    const ready = this.#makeReady(asked, token);
    let used = 0;
    for (const each of asked.before) used += await this.#prepare(each, { url, asked, ready });
    const path = asked.path.replace(/\{(\w+)\}/g, (_, name: string) => this.#things.ids[name] ?? '');
    const answer = await exchangeBytes(url, writeRequest({ ...asked, path }, ready));
    return { answer, charged: () => this.#readCharges(url, { kind, token, address: ready.address }, used) };
  }

  #makeReady({ caller }: Asked, token: string): Ready {
    const { kind, token: state, site, sessions } = caller;
    const { here, there, deletedToken, expired, foreignSession } = this.#things;
    const sent = { good: token, mistyped: mistyped(token), unknown: deletedToken, expired, absent: '' }[state];
    const own = kind === 'user' && site === 'none' ? null : { none: null, own: here.id, other: there.id }[site];
    return {
      address: this.#nextAddress(),
      authorization: state === 'absent' ? null : `Bearer ${sent}`,
      site: own,
      sessions: sessions.map((each, index) => (each === 'unknown' ? foreignSession : `no-session-${index}`)),
    };
  }

  #nextAddress(): string {
    this.#addresses += 1;
    return `10.${this.#addresses >> 16}.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}`;
  }

  async #takeToken(kind: Kind): Promise<string> {
    const pool = this.#pools[kind];
    while (pool.length === 0) await (this.#filling[kind] ??= this.#fill(kind));
    return pool.pop() ?? '';
  }

  async #fill(kind: Kind): Promise<void> {
    const { here, user } = this.#things;
    const bound = kind === 'user' ? { kind, userId: user.id } : { kind, siteId: here.id };
    this.#pools[kind].push(...(await buildTokens(this.#database.prisma, bound, 400)));
    this.#filling[kind] = undefined;
  }

  /** @returns how many operations of the request's token it took */
  async #prepare(
    what: Asked['before'][number],
    { url, asked, ready }: { url: string; asked: Asked; ready: Ready },
  ): Promise<number> {
    const other = { ...ready, address: this.#nextAddress(), sessions: [] };
    const helper = { ...other, authorization: `Bearer ${await this.#takeToken('master')}`, site: null };
    const operations = (count: number): Asked =>
      usualRequest({
        ...{ method: 'POST', path: '/graphql', json: {} },
        document: {
          head: '',
          fields: Array.from({ length: count }, (_, n) => (n === 0 ? 'channels { id }' : `a${n}: channels { id }`)),
          tail: '',
        },
      });
    const ask = (request: Asked, as: Ready): Promise<Answer> => exchangeBytes(url, writeRequest(request, as));
    switch (what) {
      case 'address spent':
        // Anonymous requests count for nobody else, and cannot be seen to be too many.
        for (let n = 0; n < limits.address; n += 1)
          await ask(usualRequest({ path: '/nowhere' }), { ...helper, address: ready.address, authorization: null });
        return 0;
      case 'token spent':
        for (let n = 0; n < limits.token; n += 1)
          await ask(usualRequest({ path: '/channels' }), { ...other, address: this.#nextAddress() });
        return limits.token;
      case 'visitor spent':
        await ask(operations(limits.address), { ...other, address: ready.address });
        return limits.address;
      case 'public token spent':
        for (let n = 0; n < limits.publicToken; n += 1)
          await ask(usualRequest({ path: '/channels' }), { ...other, address: this.#nextAddress() });
        return 0;
      case 'key used': {
        const key = asked.headers.find(([name]) => name === 'Idempotency-Key');
        const kept = usualRequest({ method: 'POST', path: '/channels/articles/entries', json: { title: 'kept' } });
        if (key) kept.headers.push(key);
        const { status, text } = await ask(kept, { ...ready, site: null, address: this.#nextAddress() });
        if (status !== 201) throw new Error(`The key was not used: ${text}`);
        return 1;
      }
      case 'stream open': {
        const follow = usualRequest({ path: '/changes', headers: [['Accept', 'text/event-stream']] });
        this.#open.push(await holdOpen(url, writeRequest(follow, { ...ready, address: this.#nextAddress() })));
        return 1;
      }
    }
  }

  /** What has been counted since a caller began, apart from what it had used: read from what a next request is told is left. */
  async #readCharges(
    url: string,
    { kind, token, address }: { kind: Kind; token: string; address: string },
    used: number,
  ): Promise<string> {
    const { site } = usualRequest({}).caller;
    const ask = (authorization: string | null, from: string): Promise<Answer> =>
      exchangeBytes(
        url,
        writeRequest(usualRequest({ path: '/channels', caller: { site } }), {
          ...{ address: from, authorization, sessions: [] },
          site: kind === 'user' ? this.#things.here.id : null,
        }),
      );
    const byAddress = limits.address - 1 - leftOf(await ask(null, address));
    const asVisitor = kind === 'public';
    const left = leftOf(await ask(`Bearer ${token}`, asVisitor ? address : this.#nextAddress()));
    const byToken = (asVisitor ? limits.address : limits.token) - 1 - left - used;
    const told = [
      ...(byAddress === 0 ? [] : [`address ${byAddress}`]),
      ...(byToken === 0 ? [] : [`${asVisitor ? 'visitor' : 'token'} ${byToken}`]),
    ];
    return told.join(' ') || 'nothing';
  }
}

/** Two sites, with what requests are about in the first. */
async function buildThings({ prisma: db }: PlainDatabase) {
  const [here, there] = [await buildSite(db), await buildSite(db)];
  const articles = await buildChannel(db, here.id, {
    id: 'articles',
    fields: [
      { name: 'title', type: 'string' },
      { name: 'year', type: 'integer' },
    ],
  });
  for (const slug of ['one', 'two']) await buildEntry(db, articles, { slug, data: { title: slug } });
  await buildEntry(db, articles, { slug: 'hidden', acl: { '*': { read: false } } });
  const large = await buildChannel(db, here.id, { id: 'large' });
  await buildEntry(db, large, { slug: 'one', data: { text: largeText } });
  const bound = { kind: 'master', siteId: here.id } as const;
  const deleted = await buildToken(db, bound);
  await db.token.delete({ where: { id: deleted.id } });
  const expired = (await buildToken(db, bound, { expiresAt: new Date(Date.now() - 1_000) })).token;
  const user = await buildUser(db, { memberOf: [here.id] });
  const { session: foreignSession } = await buildCustomer(db, there.id);
  const { id: customer, sessionId: session } = await buildCustomer(db, here.id);
  const { id: token } = await buildToken(db, { kind: 'public', siteId: here.id });
  const { id: webhook, deliveryId: delivery } = await buildWebhook(db, here.id);
  await buildChannel(db, here.id, { id: 'spare' });
  const { id: member } = await buildUser(db, { memberOf: [here.id] });
  await buildRole(db, here.id, { id: 'news', rights: ['read'] });
  const { id: invitation } = await buildInvitation(db, here.id);
  const ids: Readonly<Record<string, string>> = { customer, session, token, webhook, delivery, member, invitation };
  return { ids, here, there, deletedToken: deleted.token, expired, user, foreignSession };
}

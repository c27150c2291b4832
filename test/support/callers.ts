// Everybody who might ask, and every door that they might ask at: for tables of credentials that are refused alike.
import { expect } from '@jest/globals';
import { send, type RestAnswer } from './as.ts';
import type { TestApp } from './app.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildToken, buildUser } from './build.ts';
import { tellingOf } from './expect.ts';
import { expectGraphqlRefused, expectRestRefused } from './refused.ts';

export type Headers = Record<string, string | string[]>;
export type Cast = Awaited<ReturnType<typeof buildCast>>;
/** What is sent, the status, the code. The headers are made of the cast. */
export type Row = [what: string, headers: (cast: Cast) => Headers, status: number, code: string];

/** Two sites with an entry that anybody may do everything to, and everybody who might ask. */
export async function buildCast({ database }: TestApp) {
  const db = database.prisma;
  const [site, other] = [await buildSite(db), await buildSite(db)];
  const open = { createScope: 'public', updateScope: 'public', deleteScope: 'public' } as const;
  for (const { id } of [site, other]) {
    const channel = await buildChannel(db, id, { id: 'articles', ...open });
    await buildEntry(db, channel, { slug: 'one', data: { n: 0 } });
  }
  const past = new Date(Date.now() - 1000);
  const bound = { kind: 'public', siteId: site.id } as const;
  const { id: gone, token: deleted } = await buildToken(db, bound);
  await db.token.delete({ where: { id: gone } });
  return {
    site: site.id,
    other: other.id,
    master: site.master,
    token: site.public,
    user: (await buildUser(db, { memberOf: [site.id] })).token,
    stranger: (await buildUser(db, { memberOf: [other.id] })).token,
    expired: (await buildToken(db, bound, { expiresAt: past })).token,
    revoked: (await buildToken(db, bound, { revokedAt: past })).token,
    deleted,
    session: (await buildCustomer(db, site.id, { id: 'ada' })).session,
    second: (await buildCustomer(db, site.id, { id: 'bob' })).session,
    foreign: (await buildCustomer(db, other.id, { id: 'ada' })).session,
    over: (await buildCustomer(db, site.id, {}, { expiresAt: past })).session,
    ended: (await buildCustomer(db, site.id, {}, { revokedAt: past })).session,
  };
}

export const list = '/channels/articles/entries';
export const one = `${list}/one`;
export const json = { 'Content-Type': 'application/json' };
export const query = '{ entries(channel: "articles") { totalCount } }';
const mutation = 'mutation { deleteEntry(channel: "articles", id: "one") }';

/** Every operation of REST, and three of GraphQL. */
export const doors: [method: string, path: string, body?: string][] = [
  ['GET', list],
  ['HEAD', list],
  ['GET', `${list}/count`],
  ['GET', one],
  ['POST', list, '{"n": 1}'],
  ['PUT', one, '{"n": 1}'],
  ['PATCH', one, '{"n": 1}'],
  ['DELETE', one],
  ['POST', '/graphql', JSON.stringify({ query })],
  ['POST', '/graphql', JSON.stringify({ query: mutation })],
  ['GET', `/graphql?query=${encodeURIComponent(query)}`],
];

/** What each door answers; refused alike, and told so in its form. */
export async function refusedBy(
  app: TestApp,
  headers: Headers,
  status: number,
  code: string,
): Promise<RestAnswer<unknown>[]> {
  const answers: RestAnswer<unknown>[] = [];
  for (const [method, path, body] of doors) {
    const preflight = { 'Apollo-Require-Preflight': 'true', ...(body !== undefined && json) };
    const answer = await send(app, method, path, { headers: { ...preflight, ...headers }, ...(body && { body }) });
    if (method === 'HEAD') expect([answer.status, answer.text]).toEqual([status, '']);
    else if (path.startsWith('/graphql')) expectGraphqlRefused(answer, status, code);
    else expectRestRefused(answer, status, code);
    const challenge = /^Bearer(?: error="invalid_token", error_description="The access token [^"]+")?$/;
    const told = answer.headers.get('www-authenticate');
    expect(status === 401 ? told : null).toEqual(status === 401 ? expect.stringMatching(challenge) : told);
    answers.push(answer);
  }
  return answers;
}

/** Expects that a row is refused at each door, and with the very answer that another row gets there. */
export async function expectRefusedAlike(app: TestApp, cast: Cast, row: Row, other: Row | undefined): Promise<void> {
  const [, headersOf, status, code] = row;
  const answers = await refusedBy(app, headersOf(cast), status, code);
  const others = await refusedBy(app, other?.[1](cast) ?? {}, status, code);
  expect(answers.map(tellingOf)).toEqual(others.map(tellingOf));
}

export const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });
/** A token with another last character. */
export const mistyped = (token: string): string => token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a');

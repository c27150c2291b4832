// The log of requests (docs/contract.md §13.2): a mixed run of several sites, tokens and both doors, and what its log alone
// can tell of it.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildToken, buildUser } from '../../support/build.ts';
import type { TestCustomer, TestSite } from '../../support/build.ts';
import { LogReader, type RequestLine } from '../../support/monitoring.ts';

const log = new LogReader();
let app: TestApp;
let [films, books]: TestSite[] = [];
let ada: TestCustomer;
let member: { id: string; token: string };
let busy: { id: string; token: string };
let seen = 0;

const secret = 'the secret of an entry';

/** Asks, and gives the line that the log has of it. */
async function lineOf(ask: (caller: Caller) => Promise<{ headers: Headers }>, credentials: Credentials) {
  const { headers } = await ask(as(app, credentials));
  seen += 1;
  return log.ofRequest(headers.get('x-request-id') ?? '');
}

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_TOKEN: '40', TRUST_PROXY: '1' }, undefined, log.read);
  const db = app.database.prisma;
  [films, books] = [await buildSite(db), await buildSite(db)];
  for (const site of [films, books]) {
    const channel = await buildChannel(db, site.id, {
      id: 'articles',
      fields: [
        { name: 'title', type: 'string', required: true },
        { name: 'note', type: 'text' },
      ],
    });
    for (let at = 0; at < 3; at += 1) await buildEntry(db, channel, { data: { title: `Title ${at}`, note: secret } });
  }
  ada = await buildCustomer(db, films.id, { id: 'ada' });
  member = await buildUser(db, { memberOf: [books.id] });
  busy = await buildToken(db, { kind: 'master', siteId: books.id });
});

afterAll(() => app.close());

describe('the line of a request', () => {
  test('the log line of a REST request has its caller, its operation and its costs', async () => {
    const credentials = { token: films?.public ?? '', session: ada.session };
    const line = await lineOf(
      (caller) =>
        caller.rest('GET', '/channels/articles/entries?per_page=2', { headers: { 'X-Forwarded-For': '192.0.2.7' } }),
      credentials,
    );
    expect(line).toMatchObject({
      method: 'GET',
      path: '/channels/articles/entries',
      route: '/channels/:channel/entries',
      operation: 'listEntries',
      status: 200,
      site: films?.id,
      tokenKind: 'public',
      customer: 'ada',
      address: '192.0.2.7',
    });
    expect(line.tokenId).toMatch(/^[0-9a-f-]{36}$/);
    expect(line.rows).toBeGreaterThanOrEqual(2);
    expect(line.bytes).toBeGreaterThan(100);
    expect(line.databaseMilliseconds).toBeGreaterThan(0);
    expect(line.milliseconds).toBeGreaterThanOrEqual(line.databaseMilliseconds);
    expect(line).not.toHaveProperty('codes');
    expect(line).not.toHaveProperty('user');
  });

  test('the log line of a GraphQL request names each operation once', async () => {
    const document =
      '{ a: entries(channel: "articles") { totalCount } b: entries(channel: "articles") { totalCount } channels { id } }';
    const line = await lineOf((caller) => caller.gql(document), { token: member.token, site: books?.id ?? '' });
    expect(line).toMatchObject({
      route: '/graphql',
      operation: 'listEntries,listChannels',
      status: 200,
      site: books?.id,
      tokenKind: 'user',
      user: member.id,
    });
  });

  test('the log line of a write counts the rows and the time of its transaction', async () => {
    const line = await lineOf(
      (caller) =>
        caller.rest('POST', '/channels/articles/entries', {
          body: { title: 'New', note: secret },
          headers: { 'Idempotency-Key': 'once' },
        }),
      { token: films?.master ?? '' },
    );
    expect(line).toMatchObject({ operation: 'createEntry', status: 201, site: films?.id, tokenKind: 'master' });
    expect(line.rows).toBeGreaterThan(0);
    expect(line.databaseMilliseconds).toBeGreaterThan(0);
  });

  test('the log line of a management request counts statements that are not on entries', async () => {
    const line = await lineOf((caller) => caller.rest('GET', '/customers'), { token: films?.master ?? '' });
    expect(line).toMatchObject({ operation: 'listCustomers', status: 200, rows: 1 });
    expect(line.databaseMilliseconds).toBeGreaterThan(0);
  });

  test('the log line of HEAD has no bytes', async () => {
    const line = await lineOf((caller) => caller.rest('HEAD', '/channels/articles/entries'), {
      token: films?.public ?? '',
    });
    expect(line).toMatchObject({ method: 'HEAD', status: 200, bytes: 0 });
  });

  test('the log line of a bulk names the bulk, and the errors of its operations', async () => {
    const operations = [
      { op: 'create', data: { title: 'A part' } },
      { op: 'create', data: {} },
      { op: 'delete', id: 'nothing-here' },
    ];
    const line = await lineOf(
      (caller) => caller.rest('POST', '/channels/articles/entries/bulk', { body: { operations } }),
      { token: films?.master ?? '' },
    );
    expect(line).toMatchObject({
      operation: 'bulkEntries',
      status: 200,
      codes: ['validation_failed', 'not_found'],
      invalid: ['title: required'],
    });
  });

  test.each(['/livez', '/readyz'])('the log line of the probe %s has the level debug', async (path) => {
    expect(await lineOf((caller) => caller.rest('GET', path), {})).toMatchObject({
      level: 20,
      route: path,
      status: 200,
    });
  });
});

describe('the log alone tells', () => {
  test('the log has the reason of a 422, at both doors', async () => {
    const rest = await lineOf(
      (caller) => caller.rest('POST', '/channels/articles/entries', { body: { note: secret, [secret]: 1, nope: 1 } }),
      { token: films?.master ?? '' },
    );
    expect(rest).toMatchObject({ status: 422, codes: ['validation_failed'] });
    expect([...(rest.invalid ?? [])].sort()).toEqual(['nope: unknown_field', 'title: required', '…: unknown_field']);
    const graphql = await lineOf(
      (caller) => caller.gql('mutation { createEntry(channel: "articles", input: { fields: { nope: 1 } }) { id } }'),
      { token: films?.master ?? '' },
    );
    expect(graphql).toMatchObject({ status: 200, operation: 'createEntry', codes: ['validation_failed'] });
    expect(graphql.invalid).toEqual(expect.arrayContaining(['nope: unknown_field', 'title: required']));
  });

  test('the log has the reason why a GraphQL request was refused before it was executed', async () => {
    const invalid = await lineOf((caller) => caller.gql('{ nothing }'), { token: films?.public ?? '' });
    expect(invalid).toMatchObject({ status: 400, codes: ['graphql_validation_failed'] });
    const misfit = await lineOf(
      (caller) => caller.gql('query ($a: Boolean!) { __typename @include(if: $a) }', { a: 'x' }),
      { token: films?.public ?? '' },
    );
    expect(misfit).toMatchObject({ status: 400, codes: ['bad_user_input'] });
    const stranger = await lineOf((caller) => caller.gql('{ channels { id } }'), { token: 'ew_public_wrong' });
    expect(stranger).toMatchObject({ status: 401, codes: ['unauthenticated'], address: '127.0.0.1' });
    expect(stranger).not.toHaveProperty('tokenId');
    const elsewhere = await lineOf((caller) => caller.gql('{ channels { id } }'), {
      token: member.token,
      site: films?.id ?? '',
    });
    expect(elsewhere).toMatchObject({ status: 403, codes: ['forbidden'], tokenKind: 'user' });
    expect(elsewhere).not.toHaveProperty('site');
  });

  test('the log names the token that is limited', async () => {
    const first = log.requests().length;
    for (let at = 0; at < 45; at += 1) {
      await lineOf((caller) => caller.rest('GET', '/channels/articles/entries/count'), { token: busy.token });
    }
    const limited = log
      .requests()
      .slice(first)
      .filter(({ codes }) => codes?.includes('rate_limited'));
    expect(new Set(limited.map(({ tokenId }) => tokenId))).toEqual(new Set([busy.id]));
    expect(limited).toHaveLength(5);
  });

  test('the log names the site that takes the database longest', async () => {
    for (let at = 0; at < 10; at += 1) {
      await lineOf((caller) => caller.rest('GET', '/channels/articles/entries?q=title'), {
        token: films?.master ?? '',
      });
    }
    const bySite = sumBy(
      log.requests(),
      ({ site }) => site,
      ({ rows }) => rows,
    );
    const slowest = sumBy(
      log.requests(),
      ({ site }) => site,
      ({ databaseMilliseconds }) => databaseMilliseconds,
    );
    expect([...slowest.keys()].sort()).toEqual([books?.id, films?.id].sort());
    expect(bySite.get(films?.id ?? '')).toBeGreaterThan(bySite.get(books?.id ?? '') ?? Infinity);
  });

  test('the log has every request, and never the content of an entry, nor a token', () => {
    expect(log.requests()).toHaveLength(seen);
    const text = log.lines.join('');
    expect(text).not.toContain(secret);
    expect(text).not.toMatch(/Title \d|ew_(?:master|public|user|session)_/);
  });
});

/** Sums a number of lines, for each value of a member that they have. */
function sumBy(
  lines: readonly RequestLine[],
  key: (line: RequestLine) => string | undefined,
  value: (line: RequestLine) => number,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const line of lines) {
    const of = key(line);
    if (of !== undefined) sums.set(of, (sums.get(of) ?? 0) + value(line));
  }
  return sums;
}

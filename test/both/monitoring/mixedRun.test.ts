// The log of a mixed run answers an operator's questions by itself (docs/contract.md §13.2): which site is slowest, whose token is
// limited, and why requests got 422. What the test did is compared with what it finds in the lines.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, buildToken, type TestSite } from '../../support/build.ts';
import { LogReader, type RequestLine } from '../../support/monitoring.ts';

const log = new LogReader();
let app: TestApp;
let sites: TestSite[] = [];
let slow: TestSite;
let limited: { id: string; token: string };

/** How many operations a token has a minute, and how many of the busy token's requests are beyond that. */
const perToken = 40;
const beyond = 7;

const list = '/channels/articles/entries';

/** Sends a request, and waits until its line is in the log. */
async function ask(token: string, method: string, path: string, body?: unknown): Promise<RequestLine> {
  const { headers } = await as(app, { token }).rest(method, path, body === undefined ? {} : { body });
  return log.ofRequest(headers.get('x-request-id') ?? '');
}

/** Makes each update of a site's entries take some milliseconds more in the database. */
async function slowDown({ id }: TestSite, milliseconds: number): Promise<void> {
  const { prisma } = app.database;
  await prisma.$executeRawUnsafe(`CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_sleep(${milliseconds / 1_000}); RETURN NEW; END' -- test: slows a site down`);
  // Citus takes triggers on distributed tables only then.
  await prisma.$transaction([
    prisma.$executeRawUnsafe('SET LOCAL citus.enable_unsafe_triggers = on'),
    prisma.$executeRawUnsafe(`CREATE TRIGGER doze BEFORE UPDATE ON entries FOR EACH ROW
      WHEN (NEW.site_id = '${id}') EXECUTE FUNCTION doze() -- test: slows a site down`),
  ]);
}

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_TOKEN: String(perToken) }, undefined, log.read);
  const db = app.database.prisma;
  sites = [await buildSite(db), await buildSite(db), await buildSite(db)];
  const fields = [{ name: 'title', type: 'string', required: true, max: 20 }] as const;
  for (const { id } of sites) {
    const channel = await buildChannel(db, id, { id: 'articles', fields: [...fields] });
    await buildEntry(db, channel, { slug: 'one', data: { title: 'One' } });
  }
  slow = sites[1] ?? (await buildSite(db));
  limited = await buildToken(db, { kind: 'master', siteId: sites[2]?.id ?? '' });

  const others = sites.filter((site) => site !== slow);
  const usual: RequestLine[] = [];
  for (const { master, public: token } of others) {
    for (let at = 0; at < 5; at += 1) usual.push(await ask(token, 'GET', list));
    usual.push(await ask(master, 'POST', list, { title: 'New' }));
    usual.push(await ask(master, 'POST', list, { title: 'A title of more than twenty', nope: 1 }));
    usual.push(await ask(master, 'PATCH', `${list}/one`, { title: null }));
  }
  for (let at = 0; at < perToken + beyond; at += 1) {
    usual.push(await ask(limited.token, 'GET', `${list}/count`));
  }
  // As slow as the machine demands: a request waits longer than any other one took.
  const longest = Math.max(...usual.map(({ databaseMilliseconds }) => databaseMilliseconds));
  await slowDown(slow, Math.min(longest + 150, 1_500));
  for (let at = 0; at < 3; at += 1) await ask(slow.master, 'PATCH', `${list}/one`, { title: `After ${at}` });
});

afterAll(() => app.close());

/** The lines by a member that they have. */
function groupBy(
  lines: readonly RequestLine[],
  key: (line: RequestLine) => string | undefined,
): Map<string, RequestLine[]> {
  const groups = new Map<string, RequestLine[]>();
  for (const line of lines) {
    const name = key(line);
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  return groups;
}

const mean = (lines: readonly RequestLine[]): number =>
  lines.reduce((sum, { databaseMilliseconds }) => sum + databaseMilliseconds, 0) / lines.length;

test('the log of a mixed run shows the slowest site, and that the database takes the time', () => {
  const bySite = groupBy(log.requests(), ({ site }) => site);
  expect([...bySite.keys()].sort()).toEqual(sites.map(({ id }) => id).sort());
  const [slowest] = [...bySite].sort(([, one], [, other]) => mean(other) - mean(one));
  expect(slowest?.[0]).toBe(slow.id);
  const lines = slowest?.[1] ?? [];
  expect(lines.map(({ operation, status }) => [operation, status])).toEqual(lines.map(() => ['updateEntry', 200]));
  for (const { milliseconds, databaseMilliseconds } of lines) {
    expect(databaseMilliseconds).toBeGreaterThan(100);
    expect(milliseconds).toBeGreaterThanOrEqual(databaseMilliseconds / 4);
  }
});

test('the log of a mixed run shows the limited token, its site and the number of refusals', () => {
  const refused = log.requests().filter(({ codes }) => codes?.includes('rate_limited'));
  const byToken = groupBy(refused, ({ tokenId }) => tokenId);
  expect([...byToken.keys()]).toEqual([limited.id]);
  const lines = byToken.get(limited.id) ?? [];
  expect(lines.map(({ status, tokenKind, route }) => [status, tokenKind, route])).toEqual(
    Array.from({ length: beyond }, () => [429, 'master', '/channels/:channel/entries/count']),
  );
});

test('the log of a mixed run shows the fields of each 422, and the fault of each', () => {
  const invalid = log.requests().filter(({ status }) => status === 422);
  const causes = groupBy(invalid, ({ site, invalid: fields = [] }) => `${site}: ${[...fields].sort().join(', ')}`);
  const expected = sites
    .filter((site) => site !== slow)
    .flatMap(({ id }) => [`${id}: nope: unknown_field, title: invalid`, `${id}: title: required`]);
  expect([...causes.keys()].sort()).toEqual(expected.sort());
  expect(invalid.every(({ codes }) => codes?.join() === 'validation_failed')).toBe(true);
  expect(log.lines.join('')).not.toContain('A title of more than twenty');
});

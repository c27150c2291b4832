// Failed sign-ins (docs/contract.md §14.8): nobody learns who has an account, and after too many of them nobody may try for a while.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { buildUser } from '../../support/build.ts';
import { LogReader } from '../../support/monitoring.ts';
import { suiteApp } from '../../support/scene.ts';
import { Browser, buildPerson, forgetFailures, goodPassword } from '../../support/signIn.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', TRUST_PROXY: '1', METRICS_PORT: '0' });
const db = app.database.prisma;

beforeEach(() => forgetFailures(app));

/** Tries wrong passwords. @returns the statuses, in their order */
async function fail(email: string, times: number, browser = new Browser(app), from?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const headers: Record<string, string> = from === undefined ? {} : { 'X-Forwarded-For': from };
    statuses.push((await browser.post('sign-in', { email, password: 'wrong, I guess' }, headers)).status);
  }
  return statuses;
}

/** Fails once, and has what counts it stand as if there had been so many: a password takes long to compute. */
async function failOften(email: string, times: number, from?: string): Promise<void> {
  expect(await fail(email, 1, new Browser(app), from)).toEqual([401]);
  await db.signInFailure.updateMany({ where: { failures: { gt: 0 } }, data: { failures: times } });
}

test('a wrong password, an unknown address and a user without a password get the same answer', async () => {
  const person = await buildPerson(db);
  const { id } = await buildUser(db);
  const answers = await Promise.all(
    [person.email, 'nobody@example.com', `${id}@example.com`, 'no address at all'].map(async (email) => {
      const { status, body, headers, cookies } = await new Browser(app).post('sign-in', {
        email,
        password: 'wrong, I guess',
      });
      const { request_id: _id, ...problem } = body as Record<string, unknown>;
      const names = [...headers.keys()].filter((name) => name !== 'date' && name !== 'x-request-id');
      return { status, problem, names, cookies };
    }),
  );
  expect(answers[0]).toMatchObject({ status: 401, problem: { code: 'unauthenticated' }, cookies: [] });
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

describe('an email address', () => {
  test('has ten failures, whoever and wherever they come from; the eleventh is a 429, and so is the right password', async () => {
    const person = await buildPerson(db);
    const spelled = person.email.toUpperCase();
    expect(await fail(spelled, 5, new Browser(app), '192.0.2.1')).toEqual(Array(5).fill(401));
    expect(await fail(person.email, 6, new Browser(app), '192.0.2.2')).toEqual([...Array(5).fill(401), 429]);
    const { status, headers, body } = await new Browser(app).signIn(person);
    expect([status, body['code']]).toEqual([429, 'rate_limited']);
    const seconds = Number(headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
  });

  test('is counted alike if it has no account', async () => {
    expect(await fail('nobody@example.com', 11)).toEqual([...Array(10).fill(401), 429]);
  });

  test('has ten failures also if they are tried at the same time', async () => {
    const person = await buildPerson(db);
    const statuses = await Promise.all(Array.from({ length: 16 }, async () => (await fail(person.email, 1))[0]));
    expect(statuses.filter((status) => status === 401).length).toBe(10);
    expect(statuses.filter((status) => status === 429).length).toBe(6);
  });

  test('sign-ins that succeed are no failures', async () => {
    const person = await buildPerson(db);
    for (let time = 0; time < 12; time += 1) expect((await new Browser(app).signIn(person)).status).toBe(200);
    expect(await fail(person.email, 1)).toEqual([401]);
  });

  test('has them again when 15 minutes are over', async () => {
    const person = await buildPerson(db);
    await failOften(person.email, 10);
    expect(await fail(person.email, 1)).toEqual([429]);
    await db.signInFailure.updateMany({ data: { endsAt: new Date(Date.now() - 1_000) } });
    expect(await fail(person.email, 2)).toEqual([401, 401]);
  });
});

test('an address of the network has 50 failures, for IPv6 its /64', async () => {
  await failOften('nobody.1@example.com', 48, '2001:db8::1');
  expect(await fail('nobody.2@example.com', 2, new Browser(app), '2001:db8::2')).toEqual([401, 401]);
  const more = (from: string) => fail('somebody@example.com', 1, new Browser(app), from);
  expect(await more('2001:db8::ffff')).toEqual([429]);
  expect(await more('2001:db8:0:1::1')).toEqual([401]);
});

describe('a browser that was in before', () => {
  test('is kept out by no stranger’s failures, and has ten of its own', async () => {
    const person = await buildPerson(db);
    const browser = new Browser(app);
    await browser.signIn(person);
    await browser.post('sign-out');
    await failOften(person.email, 10);
    expect((await new Browser(app).signIn(person)).status).toBe(429);
    expect((await browser.signIn(person)).status).toBe(200);
    const jar = browser.jar.get('ew_browser');
    expect(await fail(person.email, 11, browser)).toEqual([...Array(10).fill(401), 429]);
    expect(browser.jar.get('ew_browser')).toBe(jar);
  });

  test('is one for its own user alone', async () => {
    const [person, other] = [await buildPerson(db), await buildPerson(db)];
    const browser = new Browser(app);
    await browser.signIn(person);
    await failOften(other.email, 10);
    expect((await browser.signIn(other)).status).toBe(429);
  });
});

test('more than can be computed and may wait are a 503, and count as no failures', async () => {
  // Each has an address of its own, so that no limit but that of the work is met.
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_each, index) => {
      return (await fail(`nobody.${index}@example.com`, 1, new Browser(app), `192.0.2.${index}`))[0];
    }),
  );
  const count = (wanted: number): number => statuses.filter((status) => status === wanted).length;
  expect(count(401) + count(503)).toBe(40);
  expect(count(503)).toBeGreaterThan(0);
  expect(count(401)).toBeGreaterThanOrEqual(18);
  expect(await db.signInFailure.count({ where: { failures: { gt: 0 } } })).toBe(2 * count(401));
});

test('failures are in the log by their code, without the address that was typed, and in a metric', async () => {
  const log = new LogReader();
  const other = await startApp({ METRICS_PORT: '0' }, app.database, log.read);
  const person = await buildPerson(db);
  const { headers } = await new Browser(other).post('sign-in', { email: person.email, password: 'wrong, I guess' });
  const line = await log.ofRequest(headers.get('x-request-id') ?? '');
  expect(line).toMatchObject({ route: '/auth/sign-in', status: 401, codes: ['unauthenticated'] });
  expect(JSON.stringify(line)).not.toContain(person.email);
  expect(line).not.toHaveProperty('user');
  const signedIn = await new Browser(other).signIn(person, goodPassword);
  const [row] = await db.signIn.findMany({ where: { userId: person.id } });
  expect(await log.ofRequest(signedIn.headers.get('x-request-id') ?? '')).toMatchObject({
    user: person.id,
    tokenId: row?.id,
    tokenKind: 'user',
  });
  const metrics = await (await fetch(other.metricsUrl ?? '')).text();
  expect(metrics).toContain('entryway_sign_ins_total{outcome="refused"} 1');
  expect(metrics).toContain('entryway_sign_ins_total{outcome="ok"} 1');
  expect(metrics).toContain('entryway_sign_ins_total{outcome="limited"} 0');
  await other.close();
});

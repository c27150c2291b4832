// A fault of the service in a later transaction of a bulk: what was stored before is answered, and the log has the fault.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { buildScene, type Scene } from '../../support/scene.ts';

const lines: { msg?: string; requestId?: string; err?: { message?: string } }[] = [];
let app: TestApp;
let scene: Scene;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT: 'off' }, undefined, (line) => lines.push(JSON.parse(line) as object));
  scene = await buildScene(app);
  const statements = [
    'SET citus.enable_unsafe_triggers = on',
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''a fault''; END' -- test: a fault`,
    `CREATE TRIGGER refuse BEFORE INSERT ON entries FOR EACH ROW
      WHEN (NEW.slug = 'spoilt') EXECUTE FUNCTION refuse() -- test: a fault`,
    `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''connection lost'' USING ERRCODE = ''08006''; END' -- test: a fault`,
    `CREATE TRIGGER lose BEFORE INSERT ON entries FOR EACH ROW
      WHEN (NEW.slug = 'lost') EXECUTE FUNCTION lose() -- test: a fault`,
  ];
  await app.database.session(async ({ exec }) => {
    for (const statement of statements) await exec(statement);
  });
});
afterAll(() => app.close());

/** Sends so many creates, of which one is spoilt. @param slug that one's */
function send(count: number, spoilt: number, slug = 'spoilt', channel = 'articles') {
  const operations = Array.from({ length: count }, (_, at) => ({
    op: 'create',
    data: { slug: at === spoilt ? slug : `${slug}-${at}` },
  }));
  return as(app, { token: scene.site.master }).rest<{
    results: { status: number; error?: { code: string; detail: string } }[];
  }>('POST', `/channels/${channel}/entries/bulk`, { body: { operations } });
}

test('a fault in a bulk’s first transaction: nothing is stored, and the request fails', async () => {
  expectProblem(await send(150, 50), 'internal');
  expect(await scene.db.entry.count({ where: { siteId: scene.site.id } })).toBe(0);
});

test('a fault in a bulk’s later transaction: its operations fail, and those before it are done', async () => {
  const { status, body, headers } = await send(250, 150);
  expect(status).toBe(200);
  const codes = body.results.map(({ status, error }) => error?.code ?? status);
  expect(codes).toEqual([...Array<number>(100).fill(201), ...Array<string>(150).fill('internal')]);
  expect(await scene.db.entry.count({ where: { siteId: scene.site.id } })).toBe(100);
  const requestId = headers.get('x-request-id');
  const told = lines.find(({ msg, requestId: of }) => msg === 'fault in a part' && of === requestId);
  expect(told?.err?.message).toContain('a fault');
});

test('a bulk’s transaction has 50 operations if the channel has 50 indexed fields', async () => {
  const fields = Array.from({ length: 50 }, (_, at) => ({ name: `f${at}`, type: 'string', indexed: true }) as const);
  await buildChannel(scene.db, scene.site.id, { id: 'wide', fields });
  const { status, body } = await send(120, 70, 'spoilt', 'wide');
  expect(status).toBe(200);
  const codes = body.results.map(({ status, error }) => error?.code ?? status);
  expect(codes).toEqual([...Array<number>(50).fill(201), ...Array<string>(70).fill('internal')]);
});

test('a lost database in a bulk’s later transaction: its operations report an unknown outcome', async () => {
  const { status, body } = await send(250, 150, 'lost');
  expect(status).toBe(200);
  const codes = body.results.map(({ status, error }) => error?.code ?? status);
  expect(codes).toEqual([...Array<number>(100).fill(201), ...Array<string>(150).fill('unavailable')]);
  expect(body.results[120]?.error?.detail).toContain('may be stored. Read before you send it again');
});

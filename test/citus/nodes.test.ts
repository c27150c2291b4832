// The service on a database whose sites are distributed over two workers of Citus (docs/scaling.md): the node of each
// statement, nodes that fail or are added, and sites that move.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  addNode,
  citusConf,
  createDatabase,
  databaseUrl,
  query,
  startCitus,
  type CitusServers,
} from '../../scripts/citus.mjs';
import { startServer } from '../../scripts/postgresql.mjs';
import { findGroup } from '../../src/database/citus/topology.ts';
import type { PlainDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrations/migrate.ts';
import { migrationsDirectory } from '../../src/database/migrations/migrationStatus.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../support/build.ts';
import { openPlain } from '../support/db.ts';
import { entryway, serve, type ServiceProcess } from '../support/process.ts';

const bin = process.env['CITUS_BIN'] ?? '';
let cluster: CitusServers;
let url: string;
let database: PlainDatabase;
const services: ServiceProcess[] = [];
/** A site on each worker, by the place of the worker in the cluster. */
const sites = new Map<number, TestSite>();
/** A site that was there before the tables were distributed, with two entries. */
let early: TestSite;

beforeAll(async () => {
  cluster = await startCitus(bin, { isDurable: true });
  url = await createDatabase(
    cluster.servers.map((server) => server.url),
    'entryway',
  );
  const environment = { DATABASE_URL: url };
  expect((await entryway(['migrate'], environment)).code).toBe(0);
  early = await fillEarly();
  expect((await entryway(['distribute', '--dry-run', '--shards', '4'], environment)).stdout).toContain(
    'has changed nothing',
  );
  expect(await query(url, `SELECT 1 FROM pg_dist_partition`)).toEqual([]);
  expect(await entryway(['distribute', '--shards', '4'], environment)).toMatchObject({ code: 0 });
  expect((await entryway(['distribute'], environment)).stdout).toContain('Nothing to do');
  database = await openPlain({ databaseUrl: url, databasePool: 4, dataDir: '' });
  while (sites.size < 2) {
    const site = await buildSite(database.prisma);
    await buildChannel(database.prisma, site.id, { id: 'articles', publishable: false, readScope: 'public' });
    sites.set(await findNode(site.id), site);
  }
  // One process is told of the coordinator, the other one of a worker.
  services.push(await serve({ DATABASE_URL: url }), await serve({ DATABASE_URL: nodeUrl(1) }));
});

/** Fills the database before it is distributed, by a service that ends. */
async function fillEarly(): Promise<TestSite> {
  const plain = await openPlain({ databaseUrl: url, databasePool: 2, dataDir: '' });
  const site = await buildSite(plain.prisma);
  await plain.close();
  const service = await serve({ DATABASE_URL: url });
  const master = as(service, { token: site.master });
  const input = '{ id: "articles", fields: [{ name: "title", type: STRING }] }';
  expect(await master.gql(`mutation { createChannel(input: ${input}) { id } }`)).toMatchObject({ status: 200 });
  for (const title of ['One', 'Two']) {
    expect((await master.rest('POST', '/channels/articles/entries', { body: { title } })).status).toBe(201);
  }
  await service.stop();
  return site;
}

afterAll(async () => {
  for (const { child } of services) child.kill('SIGKILL');
  await database.close();
  await cluster.stop();
});

function nodeUrl(place: number): string {
  return databaseUrl(cluster.servers[place]?.url ?? '', 'entryway');
}

/** The place in the cluster of the server that has a site. */
async function findNode(site: string): Promise<number> {
  const [row] = await query(
    url,
    `SELECT n.nodeport AS port FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
      WHERE p.shardid = get_shard_id_for_distribution_column('channels', $1::varchar)`,
    [site],
  );
  return cluster.servers.findIndex((server) => Number(new URL(server.url).port) === row?.['port']);
}

function masterOf(place: number, service = 0): Caller {
  return as(services[service] ?? { url: '' }, { token: sites.get(place)?.master ?? '' });
}

/** One of each of the requests that a site has most. @returns their statuses */
async function askAll(master: Caller): Promise<number[]> {
  const path = '/channels/articles/entries';
  const created = await master.rest<{ id: string }>('POST', path, { body: { title: 'One' } });
  const entry = `${path}/${created.body.id}`;
  const others = [
    await master.rest('GET', entry),
    await master.rest('GET', `${path}?per_page=5`),
    await master.rest('PATCH', entry, { body: { title: 'Another' } }),
    await master.rest('DELETE', entry),
  ];
  return [created, ...others].map(({ status }) => status);
}

const allDone = [201, 200, 200, 200, 204];

/** What the workers asked of other nodes so far, for this or for that. */
async function countRemote(): Promise<number> {
  let count = 0;
  for (const place of [1, 2]) {
    const [row] = await query(
      nodeUrl(place),
      `SELECT coalesce(sum(connection_establishment_succeeded + connection_reused + query_execution_multi_shard), 0)::int AS count
        FROM citus_stat_counters WHERE name = current_database()`,
    );
    count += Number(row?.['count']);
  }
  return count;
}

test('fetches, lists and writes are done whole by the node that has the site, and committed there in one phase', async () => {
  for (const place of [1, 2]) {
    for (const service of [0, 1]) expect(await askAll(masterOf(place, service))).toEqual(allDone);
    const before = await countRemote();
    for (let round = 0; round < 10; round += 1) expect(await askAll(masterOf(place))).toEqual(allDone);
    // Each node looks for deadlocks now and then; a request of any of the five kinds that went elsewhere would add ten.
    expect((await countRemote()) - before).toBeLessThan(10);
    const [plan] = await query(
      nodeUrl(place),
      `EXPLAIN SELECT e.id FROM entries e WHERE e.site_id = '${sites.get(place)?.id}' AND e.slug = 'one' LIMIT 1 -- test: reads a plan`,
    );
    expect(plan).toEqual({ 'QUERY PLAN': expect.stringContaining('Citus Adaptive') });
  }
});

test('the service finds each of 200 sites on the node where Citus has it', async () => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; group: number }>(
      `SELECT 'site-' || n AS id, (SELECT p.groupid FROM pg_dist_placement p WHERE p.shardid =
        get_shard_id_for_distribution_column('channels', ('site-' || n)::varchar)) AS "group" FROM generate_series(1, 200) AS n`,
    );
    for (const { id, group } of rows) expect([id, await findGroup(client, 'public', id)]).toEqual([id, group]);
    expect(new Set(rows.map(({ group }) => group)).size).toBe(2);
  } finally {
    await client.end();
  }
});

test('entries from before the distribution are on the nodes and were not recorded again, and later changes are recorded', async () => {
  const master = as(services[0] ?? { url: '' }, { token: early.master });
  const recorded = `SELECT c.type::text AS type, count(*)::int AS count FROM changes c WHERE c.site_id = $1 GROUP BY 1 ORDER BY 1`;
  const before = [
    { type: 'channel.created', count: 1 },
    { type: 'entry.created', count: 2 },
  ];
  expect(await query(url, recorded, [early.id])).toEqual(before);
  expect((await listTitles(master)).toSorted()).toEqual(['One', 'Two']);
  expect(await askAll(master)).toEqual(allDone);
  await master.gql('mutation { updateChannel(id: "articles", input: { name: "News" }) { name } }');
  expect(await query(url, recorded, [early.id])).toContainEqual({ type: 'channel.updated', count: 1 });
});

/** How many columns of a table's shards the planner was told of. */
async function countDescribed(table: string): Promise<string[]> {
  const rows = await query(url, `SELECT DISTINCT r.result FROM run_command_on_shards('${table}', $1) AS r`, [
    `SELECT count(*) FROM pg_attribute a WHERE a.attrelid = '%s'::regclass AND 'n_distinct=100' = ANY(a.attoptions)`,
  ]);
  return rows.map(({ result }) => String(result));
}

test('`entryway distribute` sets the statistics of all shards, and sets them again on shards that moved', async () => {
  for (const table of ['entries', 'entry_values']) expect(await countDescribed(table)).toEqual(['2']);
  const site = sites.get(1)?.id ?? '';
  const shard = `get_shard_id_for_distribution_column('channels', '${site}'::varchar)`;
  const move = (from: number, to: number): Promise<unknown> =>
    query(url, `SELECT citus_move_shard_placement(${shard}, ${address(from)}, ${address(to)}, 'force_logical')`);
  await move(1, 2);
  expect((await countDescribed('entries')).toSorted()).toEqual(['0', '2']);
  await move(2, 1);
  expect((await entryway(['distribute'], { DATABASE_URL: url })).stdout).toContain('n_distinct');
  for (const table of ['entries', 'entry_values']) expect(await countDescribed(table)).toEqual(['2']);
});

test('a feed whose position is behind that of a record fails, and goes on after `entryway distribute` has mended it', async () => {
  const { id: site, master: token } = sites.get(2) ?? early;
  const master = as(services[0] ?? { url: '' }, { token });
  const readTypes = async (): Promise<[number, string[] | undefined]> => {
    const { status, body } = await master.rest<{ changes?: { type: string }[] }>('GET', '/changes?limit=1000');
    return [status, body.changes?.map(({ type }) => type)];
  };
  const [status, before] = await readTypes();
  expect(status).toBe(200);
  await query(url, 'UPDATE change_feeds SET last = last - 2 WHERE site_id = $1', [site]);
  expect((await master.rest('POST', '/channels/articles/entries', { body: { title: 'Three' } })).status).toBe(201);
  expect(await readTypes()).toEqual([500, undefined]);
  const found = await entryway(['distribute', '--dry-run'], { DATABASE_URL: url });
  expect(found.stdout).toContain(`WHERE f.site_id = '${site}'`);
  expect(await readTypes()).toEqual([500, undefined]);
  expect((await entryway(['distribute'], { DATABASE_URL: url })).stdout).toContain(`WHERE f.site_id = '${site}'`);
  expect(await readTypes()).toEqual([200, [...(before ?? []), 'entry.created']]);
  expect((await entryway(['distribute'], { DATABASE_URL: url })).stdout).toContain('Nothing to do');
});

test('`entryway distribute` refuses a node that cannot reach itself by the name that moves use, and names it', async () => {
  const node = new URL(nodeUrl(1));
  // On this node alone: Citus would run the statement on all.
  const change = (sql: string) =>
    query(nodeUrl(1), `SET citus.enable_ddl_propagation = off; ALTER DATABASE entryway ${sql}`);
  await change(`SET citus.local_hostname = 'nowhere.invalid'`);
  try {
    const refused = await entryway(['distribute'], { DATABASE_URL: url });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(`${node.host} to itself as nowhere.invalid (citus.local_hostname)`);
  } finally {
    await change('RESET citus.local_hostname');
  }
});

test('a revoked session gets 401 from every process within a second, whatever node has it', async () => {
  for (const place of [1, 2]) {
    const [first, second] = [masterOf(place), masterOf(place, 1)];
    await first.gql('mutation { createCustomer(input: { id: "ann" }) { id } }');
    const { data } = await first.gql<{ createSession: { token: string; id: string } }>(
      'mutation { createSession(customer: "ann") { token id } }',
    );
    const { token, id } = data.createSession;
    // Both processes, the one that revokes and the other one, have the session in their caches.
    const visitors = services.map((service) => as(service, { token: sites.get(place)?.public ?? '', session: token }));
    for (const visitor of visitors) expect((await visitor.rest('GET', '/channels/articles/entries')).status).toBe(200);
    expect(await second.gql(`mutation { revokeSession(id: "${id}") }`)).toMatchObject({ status: 200 });
    await sleep(1_000);
    for (const visitor of visitors) expect((await visitor.rest('GET', '/channels/articles/entries')).status).toBe(401);
  }
});

test('while a node is down, the sites of another one go on, and its own get 503 until it is back', async () => {
  await cluster.servers[2]?.crash();
  await sleep(500);
  for (const service of [0, 1]) expect(await askAll(masterOf(1, service))).toEqual(allDone);
  expect((await masterOf(2).rest('GET', '/channels/articles/entries')).status).toBe(503);
  const refused = await entryway(['distribute'], { DATABASE_URL: url });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(`to 127.0.0.1:${new URL(nodeUrl(2)).port}`);
  await cluster.servers[2]?.restart();
  await until(async () => (await masterOf(2).rest('GET', '/channels/articles/entries')).status === 200);
  expect(await askAll(masterOf(2))).toEqual(allDone);
});

/** Builds another site whose rows are on a node. */
async function buildOn(place: number): Promise<TestSite> {
  for (;;) {
    const site = await buildSite(database.prisma);
    if ((await findNode(site.id)) !== place) continue;
    await buildChannel(database.prisma, site.id, { id: 'articles', publishable: false, readScope: 'public' });
    return site;
  }
}

/** Asks for a site's entries again and again until it is stopped. @returns stops it, and tells the statuses of the answers */
function keepAsking(master: Caller, connections: number): { statuses: number[]; stop: () => Promise<void> } {
  const state = { isDone: false };
  const statuses: number[] = [];
  const ask = async (): Promise<void> => {
    while (!state.isDone) statuses.push((await master.rest('GET', '/channels/articles/entries?per_page=1')).status);
  };
  const asking = Promise.all(Array.from({ length: connections }, ask));
  const stop = async (): Promise<void> => {
    state.isDone = true;
    await asking;
  };
  return { statuses, stop };
}

test('while a node hangs, the sites of another one are served, before its own are refused and afterwards', async () => {
  const hung = [sites.get(2), await buildOn(2), await buildOn(2), await buildOn(2), await buildOn(2), await buildOn(2)];
  const masters = services.flatMap((service) => hung.map((site) => as(service, { token: site?.master ?? '' })));
  for (const master of [masterOf(1), masterOf(1, 1), ...masters]) expect(await askAll(master)).toEqual(allDone);
  cluster.servers[2]?.freeze();
  const hanging = masters.map((master) => keepAsking(master, 10));
  const served = { isBeforeRefusals: false, rounds: 0 };
  try {
    // As short as can be, because the first refusals come after five seconds.
    const list = (service: number) => masterOf(1, service).rest('GET', '/channels/articles/entries?per_page=1');
    expect((await Promise.all([list(0), list(1)])).map(({ status }) => status)).toEqual([200, 200]);
    served.isBeforeRefusals = hanging.every(({ statuses }) => statuses.length === 0);
    while (served.rounds < 50 || !hanging.every(({ statuses }) => statuses.length > 10)) {
      for (const service of [0, 1]) expect(await askAll(masterOf(1, service))).toEqual(allDone);
      served.rounds += 1;
    }
  } finally {
    cluster.servers[2]?.thaw();
    for (const each of hanging) await each.stop();
  }
  expect(served.isBeforeRefusals).toBe(true);
  expect(new Set(hanging.flatMap(({ statuses }) => statuses.slice(0, 10)))).toEqual(new Set([503]));
  for (const service of [0, 1]) {
    await until(async () => (await masterOf(2, service).rest('GET', '/channels/articles/entries')).status === 200);
    expect(await askAll(masterOf(2, service))).toEqual(allDone);
  }
});

test('a site whose channel is locked moves once the transaction that has locked it is over', async () => {
  const { id: site } = sites.get(1) ?? early;
  const holder = new pg.Client(nodeUrl(1));
  await holder.connect();
  const state = { isMoved: false };
  try {
    await holder.query('BEGIN');
    const channel = `SELECT c.uid, c.version FROM channels c WHERE c.site_id = $1 AND c.id = 'articles'`;
    const [found] = await query(url, channel, [site]);
    const hold = 'SELECT (entryway_hold_channel($1, 1, $2, $3)).id';
    const { rows } = await holder.query(hold, [site, found?.['uid'], found?.['version']]);
    expect(rows).toEqual([{ id: 'articles' }]);
    const shard = `get_shard_id_for_distribution_column('channels', '${site}'::varchar)`;
    const moving = query(
      url,
      `SELECT citus_move_shard_placement(${shard}, ${address(1)}, ${address(2)}, 'block_writes')`,
    );
    const moved = moving.then(() => (state.isMoved = true));
    const waits = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
      WHERE l.locktype = 'advisory' AND NOT l.granted`;
    await until(
      async () => state.isMoved || (await query(nodeUrl(1), waits)).length + (await query(url, waits)).length > 0,
    );
    expect(state.isMoved).toBe(false);
    await holder.query('COMMIT');
    await moved;
    await query(url, `SELECT citus_move_shard_placement(${shard}, ${address(2)}, ${address(1)}, 'block_writes')`);
  } finally {
    await holder.end();
  }
});

test('a site that moves to another node under writes loses nothing, and is refused for seconds at most', async () => {
  const site = sites.get(1)?.id ?? '';
  const statements = [
    `SELECT isolate_tenant_to_new_shard('channels', '${site}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
    `SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('channels', '${site}'::varchar),
      ${address(1)}, ${address(2)}, 'force_logical')`,
  ];
  const written = await whileWriting(masterOf(1), async () => {
    for (const statement of statements) await query(url, statement);
  });
  expect(await findNode(site)).toBe(2);
  expect(written.longest).toBeLessThan(10_000);
  expect(await listTitles(masterOf(1))).toEqual(expect.arrayContaining(written.titles));
  expect(await askAll(masterOf(1, 1))).toEqual(allDone);
});

test('a node that was added is prepared by `entryway distribute`, and then serves sites', async () => {
  const site = sites.get(1)?.id ?? '';
  const server = await startServer(bin, { isDurable: true, conf: citusConf });
  cluster.servers.push(server);
  await createDatabase([server.url], 'entryway', null);
  await addNode(url, server.url);
  expect((await entryway(['distribute'], { DATABASE_URL: url })).stdout).toContain('CREATE CAST');
  const shard = `get_shard_id_for_distribution_column('channels', '${site}'::varchar)`;
  const written = await whileWriting(masterOf(1), () =>
    query(url, `SELECT citus_move_shard_placement(${shard}, ${address(2)}, ${address(3)}, 'force_logical')`),
  );
  expect(await findNode(site)).toBe(3);
  expect(await listTitles(masterOf(1))).toEqual(expect.arrayContaining(written.titles));
  expect(await askAll(masterOf(1))).toEqual(allDone);
  expect(
    await masterOf(1).gql('mutation { updateChannel(id: "articles", input: { name: "News" }) { name } }'),
  ).toMatchObject({
    data: { updateChannel: { name: 'News' } },
  });
});

test('later migrations apply to distributed tables', async () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'entryway-test-')), 'migrations');
  cpSync(migrationsDirectory, directory, { recursive: true });
  const name = '29990101000000_later';
  mkdirSync(join(directory, name));
  writeFileSync(
    join(directory, name, 'migration.sql'),
    `ALTER TABLE "entries" ADD COLUMN "later" TEXT NOT NULL DEFAULT '' -- test: a later migration
;
CREATE INDEX "entries_later_idx" ON "entries" ("site_id", "later") -- test: a later migration
;
CREATE FUNCTION "entryway_later"("p_site_id" TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$
-- test: a later migration
BEGIN
    RETURN (SELECT count(*) FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."later" = '');
END
$$;
`,
  );
  expect(await migrate(database, { directory })).toEqual([name]);
  const [counted] = await query(nodeUrl(2), 'SELECT entryway_later($1)::int AS count', [sites.get(2)?.id]);
  expect(counted).toEqual({ count: expect.any(Number) });
  expect(await askAll(masterOf(2))).toEqual(allDone);
});

/** The address of a server, as Citus takes it. */
function address(place: number): string {
  const { hostname, port } = new URL(cluster.servers[place]?.url ?? '');
  return `'${hostname}', ${port}`;
}

/** Creates entries one after the other until some work is done. @returns those that were acknowledged, and the longest pause */
async function whileWriting(
  master: Caller,
  work: () => Promise<unknown>,
): Promise<{ titles: string[]; longest: number }> {
  const state = { isDone: false };
  const titles: string[] = [];
  let [last, longest] = [performance.now(), 0];
  const writing = (async (): Promise<void> => {
    for (let number = 1; !state.isDone; number += 1) {
      const title = `Written ${Date.now()} ${number}`;
      const { status } = await master.rest('POST', '/channels/articles/entries', { body: { title } });
      if (status === 201) {
        titles.push(title);
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      } else expect([status, title]).toEqual([503, title]);
    }
  })();
  await work().finally(() => (state.isDone = true));
  await writing;
  return { titles, longest };
}

async function listTitles(master: Caller): Promise<string[]> {
  const titles: string[] = [];
  for (let page = '?per_page=100'; ;) {
    const { body, headers } = await master.rest<{ title: string }[]>('GET', `/channels/articles/entries${page}`);
    titles.push(...body.map(({ title }) => title));
    const [, next] = /<[^>]*(\?[^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    if (next === undefined) return titles;
    page = next;
  }
}

async function until(look: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 200) {
    if (await look()) return;
    await sleep(200);
  }
  throw new Error('it did not happen within 30 seconds');
}

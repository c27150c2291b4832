// Shards that move between the nodes of Citus while fifty sites are written to (docs/scaling.md).
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, query, startCitus, type CitusServers } from '../../scripts/citus.mjs';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../support/build.ts';
import { openPlain } from '../support/db.ts';
import { entryway, serve, type ServiceProcess } from '../support/process.ts';

const siteCount = 50;
const shardCount = 8;
const writerCount = 5;
/** A site waits or is refused for no longer than this while its shard moves, in milliseconds. */
const longestWait = 10_000;

let cluster: CitusServers;
let url: string;
const services: ServiceProcess[] = [];
const sites: TestSite[] = [];

beforeAll(async () => {
  cluster = await startCitus(process.env['CITUS_BIN'] ?? '', { isDurable: true });
  url = await createDatabase(
    cluster.servers.map((server) => server.url),
    'entryway',
  );
  expect((await entryway(['migrate'], { DATABASE_URL: url })).code).toBe(0);
  const command = ['distribute', '--shards', String(shardCount)];
  expect(await entryway(command, { DATABASE_URL: url })).toMatchObject({ code: 0 });
  const database = await openPlain({ databaseUrl: url, databasePool: 4, dataDir: '' });
  while (sites.length < siteCount) {
    const site = await buildSite(database.prisma);
    await buildChannel(database.prisma, site.id, { id: 'articles', publishable: false, readScope: 'public' });
    sites.push(site);
  }
  await database.close();
  services.push(await serve({ DATABASE_URL: url }), await serve({ DATABASE_URL: url }));
});

afterAll(async () => {
  for (const service of services) await service.stop();
  await cluster.stop();
});

interface Placement {
  readonly shard: number;
  readonly port: number;
  readonly sites: readonly string[];
}

/** The shards, with their nodes and sites: those with the most sites first. */
async function listPlacements(): Promise<Placement[]> {
  const rows = await query(
    url,
    `SELECT p.shardid::int AS shard, n.nodeport AS port, array_agg(s.id) AS sites FROM sites s
      JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('channels', s.id)
      JOIN pg_dist_node n USING (groupid) WHERE s.id = ANY($1) GROUP BY 1, 2 ORDER BY count(*) DESC, 1`,
    [sites.map(({ id }) => id)],
  );
  return rows as unknown as Placement[];
}

/** Moves a shard to the other worker. @returns its sites, and where they are now */
async function move({ shard, port, sites: moved }: Placement): Promise<{ port: number; sites: readonly string[] }> {
  const ports = cluster.servers.slice(1).map((server) => Number(new URL(server.url).port));
  const other = ports.find((each) => each !== port) ?? 0;
  const statement = `SELECT citus_move_shard_placement(${shard}, '127.0.0.1', ${port}, '127.0.0.1', ${other}, 'force_logical')`;
  // What it left on the other worker when it moved the last time is dropped once no statement there reads it any more.
  const isLeft = (error: unknown): boolean => String(error).includes('orphaned shard');
  for (let isMoved = false; !isMoved;) {
    isMoved = await query(url, statement).then(
      () => true,
      async (error: unknown) => {
        if (!isLeft(error)) throw error;
        await sleep(500);
        return false;
      },
    );
  }
  return { port: other, sites: moved };
}

/** A caller with a site's master token, through one of the processes after the other. */
function masterOf({ master }: TestSite, turn = 0): Caller {
  return as(services[turn % services.length] ?? { url: '' }, { token: master });
}

/**
 * Writes until some work is done.
 * @param writers the sites of each writer, who writes to one after the other
 * @returns what was acknowledged, and how long it took at most
 */
async function whileWriting(
  work: () => Promise<unknown>,
  writers: readonly (readonly TestSite[])[],
): Promise<{ ids: string[]; longest: number; refused: number }> {
  const state = { isDone: false, longest: 0, refused: 0 };
  const ids: string[] = [];
  const refusedSince = new Map<string, number>();
  const write = async (to: TestSite, turn: number): Promise<void> => {
    const site = to.id;
    const begun = performance.now();
    const body = { title: `Written ${Date.now()}` };
    const answer = await masterOf(to, turn).rest<{ id: string }>('POST', '/channels/articles/entries', { body });
    const since = refusedSince.get(site) ?? begun;
    state.longest = Math.max(state.longest, performance.now() - since);
    if (answer.status === 201) {
      ids.push(answer.body.id);
      refusedSince.delete(site);
      return;
    }
    expect([answer.status, answer.body]).toEqual([503, expect.anything()]);
    state.refused += 1;
    refusedSince.set(site, since);
  };
  const writing = writers.map(async (to, first) => {
    for (let turn = first; !state.isDone; turn += 1) {
      for (const site of to) await write(site, turn);
      await sleep(10);
    }
  });
  await work().finally(() => (state.isDone = true));
  await Promise.all(writing);
  return { ids, longest: state.longest, refused: state.refused };
}

test('moves of shards, and of one site into a shard of its own, lose no acknowledged write to fifty sites', async () => {
  const moved: Awaited<ReturnType<typeof move>>[] = [];
  const isolated = sites[0]?.id ?? '';
  const apart = Array.from({ length: writerCount }, (_, first) =>
    sites.filter((_site, at) => at % writerCount === first),
  );
  const written = await whileWriting(async () => {
    for (const placement of (await listPlacements()).slice(0, 3)) moved.push(await move(placement));
    await query(
      url,
      `SELECT isolate_tenant_to_new_shard('channels', '${isolated}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
    );
    const own = (await listPlacements()).find(({ sites: [first] }) => first === isolated);
    expect(own?.sites).toEqual([isolated]);
    if (own) moved.push(await move(own));
  }, apart);
  const stored = new Set((await query(url, 'SELECT id FROM entries -- test: all that is stored')).map(({ id }) => id));
  expect(written.ids.filter((id) => !stored.has(id))).toEqual([]);
  expect(written.ids.length).toBeGreaterThan(siteCount);
  expect(written.longest).toBeLessThan(longestWait);
  const found = await listPlacements();
  const last = new Map(moved.flatMap((each) => each.sites.map((site) => [site, each.port] as const)));
  for (const [site, port] of last) expect(found.find((each) => each.sites.includes(site))?.port).toBe(port);
  for (const site of sites) {
    expect((await masterOf(site).rest('GET', '/channels/articles/entries?per_page=1')).status).toBe(200);
  }
  console.log(
    `${written.ids.length} writes to ${siteCount} sites were acknowledged while ${last.size} of them moved; ` +
      `${written.refused} were refused, and the longest took ${Math.round(written.longest)} ms.`,
  );
});

/** Reads the feed of a site to its end. @returns the entries whose creation it tells, in this order */
async function readCreated(site: TestSite): Promise<string[]> {
  const created: string[] = [];
  for (let after = ''; ;) {
    const { status, body } = await masterOf(site).rest<{ changes: { id: string }[]; cursor: string; more: boolean }>(
      'GET',
      `/changes?types=entry.created&limit=1000${after && `&after=${after}`}`,
    );
    expect(status).toBe(200);
    created.push(...body.changes.map(({ id }) => id));
    if (!body.more) return created;
    after = encodeURIComponent(body.cursor);
  }
}

test('the feed of each site has every entry once after its shard moved to and fro under writes of two processes', async () => {
  const [most] = await listPlacements();
  if (most === undefined) throw new Error('There is no shard.');
  const busy = sites.filter(({ id }) => most.sites.includes(id));
  let placement = most;
  const moves = 8;
  const written = await whileWriting(
    async () => {
      for (let done = 0; done < moves; done += 1) placement = { ...placement, ...(await move(placement)) };
    },
    Array.from({ length: 2 * writerCount }, () => busy),
  );
  for (const site of sites) {
    const stored = await query(url, 'SELECT e.id FROM entries e WHERE e.site_id = $1 -- test: all that is stored', [
      site.id,
    ]);
    const told = await readCreated(site);
    expect(told.toSorted()).toEqual(stored.map(({ id }) => id as string).toSorted());
  }
  console.log(`${written.ids.length} writes to ${busy.length} sites while their shard moved ${moves} times.`);
});

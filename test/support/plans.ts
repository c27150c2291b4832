// The plans that PostgreSQL makes of the statements that a request sends, and how many rows they visit.
import { expect, jest } from '@jest/globals';
import pg from 'pg';
import { createArticles } from '../../bench/content.mjs';
import type { PlainDatabase } from '../../src/database/database.ts';
import { openPostgresql } from '../../src/database/open/postgresql.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { startApp, type TestApp } from './app.ts';
import { as } from './as.ts';
import { buildSite, type TestSite } from './build.ts';
import { testDatabaseUrl } from './db.ts';
import { expectData } from './expect.ts';

/** A client whose statements are the test's own (test/support/watch/judge.mjs). */
class MarkedClient extends pg.Client {
  override query(text: unknown, ...values: unknown[]): never {
    const query = super.query.bind(this) as (...args: unknown[]) => never;
    return query(typeof text === 'string' ? `${text}\n-- test` : text, ...values);
  }
}

/** A service on a database of its own whose plans are looked at. */
export interface PlanScene {
  readonly database: PlainDatabase;
  readonly app: TestApp;
  readonly site: TestSite;
  /** A connection for statements of the test's own. */
  readonly client: pg.Client;
  /** Creates a channel of articles in the site. @param read its scope for reads */
  readonly createChannel: (id: string, read: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts it, with a site that is empty. @param databasePool how many connections the service has */
export async function openPlanScene(databasePool = 2): Promise<PlanScene> {
  const copy = await testDatabaseUrl();
  const database = await openPostgresql({ databaseUrl: copy.url, databasePool });
  const app = await startApp({}, database);
  const client = new MarkedClient(copy.url);
  await client.connect();
  const site = await buildSite(database.prisma);
  const master = as(app, { token: site.master });
  const send = async (...document: Parameters<typeof master.gql>): Promise<unknown> =>
    expectData(await master.gql(...document));
  const createChannel = async (id: string, read: string): Promise<void> => {
    await createArticles(send, id, { acl: { read } });
  };
  const close = async (): Promise<void> => {
    await client.end();
    await app.close();
    await database.close();
    await copy.drop();
  };
  return { database, app, site, client, createChannel, close };
}

/** A node of a plan. */
export interface Node {
  readonly 'Plan Rows': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  /** The pages that it read, with those of the nodes below it: in memory already, or not. */
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Node[];
}

type Explained = Readonly<Record<'QUERY PLAN', readonly [{ readonly Plan: Node }]>>;

/** The most rows that a node of a plan visited. */
export function countVisited(node: Node): number {
  const each =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0);
  return Math.max(each * node['Actual Loops'], ...(node.Plans ?? []).map(countVisited));
}

/** The plan in the result of EXPLAIN. */
function planOf([row]: Explained[]): Node {
  if (row === undefined) throw new Error('EXPLAIN returned no plan');
  return row['QUERY PLAN'][0].Plan;
}

/** Explains a statement with its values, as it runs if it is planned for them. */
async function explain(client: pg.Client, { text, values }: Prisma.Sql): Promise<Node> {
  const { rows } = await client.query<Explained>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
  return planOf(rows);
}

/** Explains a prepared statement as it runs if its plan is for any values. */
export async function explainGeneric(client: pg.Client, { text, values }: Prisma.Sql): Promise<Node> {
  await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE asked AS ${text}`);
  try {
    const given = values
      .map((value) => client.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : String(value)))
      .join();
    const { rows } = await client.query<Explained>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked(${given})`);
    return planOf(rows);
  } finally {
    await client.query('DEALLOCATE asked; RESET plan_cache_mode');
  }
}

/**
 * Sends a request, and explains its statements on entries: those with a name as they run with a plan for any values, too.
 * @returns the plans, of which there is at least one, and the answer
 */
export async function explainRequest<Answer>(
  { client, database: { statements } }: Pick<PlanScene, 'client' | 'database'>,
  send: () => Promise<Answer>,
): Promise<{ plans: Node[]; answer: Answer }> {
  const read = jest.spyOn(statements, 'read');
  const readPrepared = jest.spyOn(statements, 'readPrepared');
  const answer = await send();
  const plans: Node[] = [];
  // The service looks by itself for publications that are due: no request sends that.
  const isAsked = ([{ sql }]: readonly [Prisma.Sql]): boolean => !sql.includes('NOT e.announced');
  const asked = { planned: read.mock.calls.filter(isAsked), prepared: readPrepared.mock.calls.filter(isAsked) };
  jest.restoreAllMocks();
  for (const [statement] of [...asked.planned, ...asked.prepared]) plans.push(await explain(client, statement));
  for (const [statement] of asked.prepared) plans.push(await explainGeneric(client, statement));
  expect(plans).not.toEqual([]);
  return { plans, answer };
}

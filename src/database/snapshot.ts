// Reads a database in one consistent state, in pages from a cursor, so that memory does not grow with the number of
// rows. On PostgreSQL the state is that of a transaction, which blocks no other.
import type { Database, SqlSession } from './database.ts';

/** Reads in one consistent state. */
export interface Snapshot {
  readonly query: SqlSession['query'];
  /** Reads rows one after the other. Only one stream can be open at a time. */
  readonly stream: <Row>(statement: string, parameters: unknown[]) => AsyncGenerator<Row, void>;
}

/** Maximum size of a page: pages after large ones have fewer rows. */
const maxPageBytes = 4 * 1024 * 1024;
const firstPageRows = 20;
const maxPageRows = 2_000;

/**
 * Disables the timeouts of the server, the role or the database, which a large site exceeds. One of them is new in
 * PostgreSQL 17.
 */
const withoutTimeouts = `SELECT set_config(s.name, '0', TRUE) FROM pg_catalog.pg_settings s
  WHERE s.name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Reads a database in one consistent state. @throws as `work` */
export async function withSnapshot<T>(database: Database, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return database.session(async (session) => {
    await session.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      await session.query(withoutTimeouts);
      return await work({ query: session.query, stream: (...statement) => streamRows(session, ...statement) });
    } finally {
      // It fails only if the connection is lost, in which case the work has failed, too.
      await session.exec('ROLLBACK').catch(() => undefined);
    }
  });
}

async function* streamRows<Row>(
  { query, exec }: SqlSession,
  statement: string,
  parameters: unknown[],
): AsyncGenerator<Row, void> {
  await query('DECLARE page NO SCROLL CURSOR FOR ' + statement, parameters);
  for (let limit = firstPageRows; ;) {
    const rows = await query<Row>(fetchStatement(limit));
    yield* rows;
    if (rows.length < limit) break;
    const [first] = rows;
    // A sample of the page estimates the size of the next one: measuring all rows would take as long as writing them.
    const sample = [first, rows[rows.length >> 1], rows.at(-1)].map((row) => JSON.stringify(row).length);
    limit = Math.max(1, Math.min(maxPageRows, limit * 2, Math.floor(maxPageBytes / Math.max(...sample))));
  }
  await exec('CLOSE page');
}

function fetchStatement(limit: number): string {
  return `FETCH ${limit} FROM page`;
}

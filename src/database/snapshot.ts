// Reads a database as of one moment, in pages that a cursor gives: memory does not grow with the number of rows. On PostgreSQL
// that moment is a transaction's, which holds up nobody.
import type { Database, SqlSession } from './database.ts';

/** Reads as of one moment. */
export interface Snapshot {
  readonly query: SqlSession['query'];
  /** Reads rows one after the other. Only one such reading can be under way at a time. */
  readonly stream: <Row>(statement: string, parameters: unknown[]) => AsyncGenerator<Row, void>;
}

/** A page has fewer rows if those before it were large: they are not to exceed so many bytes together. */
const maxPageBytes = 4 * 1024 * 1024;
const firstPageRows = 20;
const maxPageRows = 2_000;

/** A large site takes longer than a server, a role or a database may allow others. One of these is new in PostgreSQL 17. */
const withoutTimeouts = `SELECT set_config(s.name, '0', TRUE) FROM pg_catalog.pg_settings s
  WHERE s.name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Reads a database as of one moment. @throws what `work` throws */
export async function withSnapshot<T>(database: Database, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return database.session(async (session) => {
    await session.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      await session.query(withoutTimeouts);
      return await work({ query: session.query, stream: (...statement) => streamRows(session, ...statement) });
    } finally {
      // It fails only where the connection is lost: the work has failed for that reason, too.
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
    // A few tell how large the next ones are: to measure all of them would take as long as to write them.
    const sample = [first, rows[rows.length >> 1], rows.at(-1)].map((row) => JSON.stringify(row).length);
    limit = Math.max(1, Math.min(maxPageRows, limit * 2, Math.floor(maxPageBytes / Math.max(...sample))));
  }
  await exec('CLOSE page');
}

function fetchStatement(limit: number): string {
  return `FETCH ${limit} FROM page`;
}

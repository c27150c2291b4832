// The statements that reach a database in this process, whichever kind it is: for what must cost none.
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/**
 * Statements that the service sends on its own, now and then: of its change feed, of the places of changes, of a connection that it opens,
 * and of the nodes of Citus.
 */
export const ownStatements =
  /^SELECT 1$|^LISTEN|pg_notify|^SELECT set_config\(p\.name, |entryway_place\(|FROM change_feeds f\s+(?:WHERE|CROSS)\b|SELECT DISTINCT c\.site_id AS site FROM changes|NOT e\.announced|c\.derived_version < c\.fields_version|FROM webhooks w LIMIT 1|FROM pg_catalog\.pg_dist_node|^SELECT current_setting\(/;

/** The texts of the statements that are sent while `work` goes on. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const note = (query: unknown): void => {
    const text = typeof query === 'string' ? query : (query as { text: string }).text;
    if (!ownStatements.test(text)) texts.push(text);
  };
  const restore = [watch(pg.Client.prototype, note), watch(PGlite.prototype, note)];
  try {
    await work();
  } finally {
    for (const each of restore) each();
  }
  return texts;
}

/** Has `note` see the first argument of each call of `query`. @returns what undoes that */
function watch(prototype: object, note: (query: unknown) => void): () => void {
  const target = prototype as { query: (...args: unknown[]) => unknown };
  const { query } = target;
  target.query = function (this: unknown, ...args) {
    note(args[0]);
    return query.apply(this, args);
  };
  return () => {
    target.query = query;
  };
}

// Names the database that a command works on, so that a forgotten variable is noticed. A password is never part of it.
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { parseHosts } from '../config/databaseUrl.ts';
import { table } from '../../clients/cli/src/terminal/output.ts';

/** The database that a command works on, as `--json` prints it. */
export type DatabaseName =
  | { readonly kind: 'embedded'; readonly directory: string }
  | { readonly kind: 'postgresql'; readonly name: string; readonly hosts: readonly string[] };

/** The database that a configuration names. */
export function nameDatabase({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): DatabaseName {
  if (databaseUrl === undefined) return { kind: 'embedded', directory: resolve(dataDir) };
  const urls = (parseHosts(databaseUrl)?.urls ?? []).map((url) => new URL(url));
  // Without a host in its usual place, the parameter has one: the directory of a socket.
  const hosts = urls.map(({ host, searchParams }) =>
    host === '' ? (searchParams.get('host') ?? 'the default host') : host,
  );
  const [{ pathname, username } = { pathname: '', username: '' }] = urls;
  // PostgreSQL's clients take the user's name where the URL names no database.
  const name = decodeURIComponent(pathname.length > 1 ? pathname.slice(1) : username);
  return { kind: 'postgresql', name, hosts };
}

/** The same, in the words that follow "in". */
export function databaseWords(database: DatabaseName): string {
  return database.kind === 'embedded'
    ? `the embedded database at ${database.directory}`
    : `the PostgreSQL database ${database.name} at ${database.hosts.join(', ')}`;
}

/**
 * A table of things in a database.
 * @param where the words for the database
 * @param otherwise the sentence that stands for a table without rows
 */
export function tableIn(
  where: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  otherwise: string,
): string {
  return table(headings, rows, otherwise) + (rows.length > 0 ? `\n\nIn ${where}.` : '');
}

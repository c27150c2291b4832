// Names the database that a command works on, without its password, so that a user notices a forgotten variable.
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
  // A URL without a host may have the directory of a socket as a parameter.
  const hosts = urls.map(({ host, searchParams }) =>
    host === '' ? (searchParams.get('host') ?? 'the default host') : host,
  );
  const [{ pathname, username } = { pathname: '', username: '' }] = urls;
  // Clients of PostgreSQL take the user's name as the database if the URL names none.
  const name = decodeURIComponent(pathname.length > 1 ? pathname.slice(1) : username);
  return { kind: 'postgresql', name, hosts };
}

/** Describes a database in words that follow "in". */
export function databaseWords(database: DatabaseName): string {
  return database.kind === 'embedded'
    ? `the embedded database at ${database.directory}`
    : `the PostgreSQL database ${database.name} at ${database.hosts.join(', ')}`;
}

/**
 * Prints a table of objects in a database.
 * @param where the words for the database
 * @param otherwise the sentence in place of a table without rows
 */
export function tableIn(
  where: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  otherwise: string,
): string {
  return table(headings, rows, otherwise) + (rows.length > 0 ? `\n\nIn ${where}.` : '');
}

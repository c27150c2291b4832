// Opening a database on a server: what is refused, and in which words.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../../src/database/open.ts';
import { DatabaseUnusableError } from '../../src/database/postgresql.ts';
import { emptyDatabaseUrl } from '../support/db.ts';
import type { ServerDatabase } from '../support/db.ts';

let server: ServerDatabase;

beforeEach(async () => {
  server = await emptyDatabaseUrl();
});

afterEach(() => server.drop());

function refusal(databaseUrl: string): Promise<Error> {
  return openDatabase({ databaseUrl, databasePool: 2, dataDir: '/nowhere' }).then(
    () => {
      throw new Error('it was opened');
    },
    (error: unknown) => error as Error,
  );
}

test('DATABASE_URL leads to the server', async () => {
  const database = await openDatabase({ databaseUrl: server.url, databasePool: 2, dataDir: '/nowhere' });
  expect(database.kind).toBe('postgresql');
  const name = await database.session((session) =>
    session.query('SELECT current_database()::text AS "name", current_setting($1) AS "who"', ['application_name']),
  );
  expect(name).toEqual([{ name: new URL(server.url).pathname.slice(1), who: 'entryway' }]);
  await database.close();
  await database.close();
});

test('a server that is not there is named, with the reason, and without the password', async () => {
  const url = Object.assign(new URL(server.url), { port: '1', password: 'geheim' }).href;
  const error = await refusal(url);
  expect(error).toBeInstanceOf(DatabaseUnusableError);
  expect(error.message).toMatch(/^The database at 127\.0\.0\.1:1\/entryway_test_\w+ cannot be used: .*ECONNREFUSED/);
  expect(error.message).not.toMatch(/geheim|\n/);
});

test('a database that is not there is named', async () => {
  expect((await refusal(`${server.url}_not`)).message).toMatch(/_not" does not exist/);
});

test('a database in another encoding than UTF-8 is refused', async () => {
  const client = new pg.Client(server.url);
  await client.connect();
  const name = `${new URL(server.url).pathname.slice(1)}_latin`;
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  const error = await refusal(`${server.url}_latin`);
  await client.query(`DROP DATABASE ${name}`);
  await client.end();
  expect(error).toBeInstanceOf(DatabaseUnusableError);
  expect(error.message).toContain('its encoding is LATIN1, and UTF8 is needed');
});

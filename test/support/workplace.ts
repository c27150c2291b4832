// Where commands of a test work: the environment variables that name a database of its own.
import { isDeepStrictEqual } from 'node:util';

import { nameDatabase } from '../../src/cli/databaseName.ts';
import type { PlainDatabase } from '../../src/database/database.ts';
import { databaseKind, emptyDatabaseUrl, openPlain, testDatabaseUrl, type ServerDatabase } from './db.ts';
import { entryway, type Run } from './process.ts';
import { removeScratch, scratchDirectory } from './scratch.ts';

export interface Workplace {
  readonly environment: Record<string, string>;
  /** Runs a command to its end, given as one would type it. @param input its standard input */
  readonly run: (line: string, environment?: Record<string, string>, input?: string) => Promise<Run>;
  /** What a command prints with --json, where it ends well and names this database, unless it is a list; without that name. */
  readonly json: <Document>(line: string) => Promise<Document>;
  /** The reason that a command gives with --json, where it is refused: once in the document, once as the one line. */
  readonly refusal: (line: string, environment?: Record<string, string>) => Promise<string>;
  /** Works on the database directly. */
  readonly inside: <T>(work: (database: PlainDatabase) => Promise<T>) => Promise<T>;
  readonly remove: () => Promise<void>;
}

/** A database without any table; embedded, it does not even exist. */
export async function newWorkplace(): Promise<Workplace> {
  return placeOn(databaseKind === 'postgresql' ? await emptyDatabaseUrl() : null);
}

/** @param server null: the embedded database, in a directory of its own */
function placeOn(server: ServerDatabase | null): Workplace {
  const environment: Record<string, string> = server ? { DATABASE_URL: server.url } : { DATA_DIR: scratchDirectory() };
  const run: Workplace['run'] = (line, more = {}, input = '') =>
    entryway(words(line), { ...environment, ...more }, undefined, input);
  return {
    environment,
    run,
    json: async <Document>(line: string) => {
      const { code, stdout, stderr } = await run(`${line} --json`);
      if (code !== 0) throw new Error(`${line}: ${stderr}`);
      const found = JSON.parse(stdout) as Document & { database?: unknown };
      if (Array.isArray(found)) return found;
      const { database, ...document } = found;
      const expected = nameDatabase({ databaseUrl: server?.url, dataDir: environment['DATA_DIR'] ?? '' });
      if (!isDeepStrictEqual(database, expected)) throw new Error(`${line} works on ${JSON.stringify(database)}`);
      return document as Document;
    },
    refusal: async (line, more) => {
      const { code, stdout, stderr } = await run(`${line} --json`, more);
      if (code !== 1 && code !== 2) throw new Error(`${line} ended with ${code}: ${stdout}`);
      const { error } = JSON.parse(stdout) as { error: { message: string } };
      if (stderr !== `entryway: ${error.message}\n`) throw new Error(`Not that one line: ${stderr}`);
      return error.message;
    },
    inside: async (work) => {
      const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir = '' } = environment;
      const database = await openPlain({ databaseUrl, databasePool: 2, dataDir });
      try {
        return await work(database);
      } finally {
        await database.close();
      }
    },
    remove: async () => {
      await server?.drop();
      removeScratch();
    },
  };
}

/** The same, brought up to date: on a server as a copy, because the command would take longer; test/both/cli/migrate.test.ts runs it. */
export async function workplace(): Promise<Workplace> {
  if (databaseKind === 'postgresql') return placeOn(await testDatabaseUrl());
  const place = await newWorkplace();
  await place.json('migrate');
  return place;
}

/** A line's words; those in double quotes may hold spaces. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

// The service on a database that keeps a list of what it was asked.
import type { Prisma, PrismaClient } from '../../src/generated/prisma/client.ts';
import { startApp, type TestApp } from './app.ts';
import { testDatabase } from './db.ts';
import { ownStatements } from './sql.ts';

export interface WatchedApp extends TestApp {
  /** What the service asked since this was last called: each statement's text, values aside. */
  readonly statements: () => string[];
}

/** Starts the service on a fresh database whose statements are listed. */
export async function startWatchedApp(): Promise<WatchedApp> {
  const database = await testDatabase();
  let asked: string[] = [];
  const prisma = database.prisma.$extends({
    query: {
      $allOperations({ model, operation, args, query }) {
        const { strings } = args as { strings?: string[] };
        asked.push(strings?.join('?') ?? `${model ?? ''} ${operation}`);
        return query(args);
      },
    },
  }) as unknown as PrismaClient;
  const note = (statement: Prisma.Sql): Prisma.Sql => {
    const text = statement.strings.join('?');
    if (!ownStatements.test(text)) asked.push(text);
    return statement;
  };
  const app = await startApp(
    { RATE_LIMIT: 'off' },
    {
      kind: database.kind,
      failed: database.failed,
      prisma,
      replicas: null,
      nodes: null,
      statements: {
        read: (statement) => database.statements.read(note(statement)),
        readPrepared: (statement) => database.statements.readPrepared(note(statement)),
        write: (statement) => database.statements.write(note(statement)),
      },
      session: (work) => database.session(work),
      watch: (onChange, onLost) => database.watch(onChange, onLost),
      readPool: () => database.readPool(),
      ping: () => {
        asked.push('ping');
        return database.ping();
      },
      copy: (name) => database.copy(name),
      close: () => database.close(),
    },
  );
  return {
    ...app,
    // For builders: what they ask is none of the service's.
    database,
    statements: () => {
      const list = asked;
      asked = [];
      return list;
    },
    close: async () => {
      await app.close();
      await database.close();
    },
  };
}

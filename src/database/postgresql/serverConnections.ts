// The connections to one PostgreSQL server: a pool, the statements on it, and Prisma's client.
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.ts';
import { connectTimeoutMilliseconds, type ClientClass } from './hosts.ts';
import { PooledStatements, StatementNames, unnamed } from './preparedStatements.ts';
import { traceAdapter } from '../tracedAdapter.ts';

export interface ServerConnections {
  /** Connects to the server itself. */
  readonly Client: ClientClass;
  readonly pool: pg.Pool;
  readonly statements: PooledStatements;
  readonly prisma: PrismaClient;
}

interface ConnectionOptions {
  readonly Client: ClientClass;
  readonly pool: pg.Pool;
  readonly schema: string;
  /** Whether prepared statements may have names. */
  readonly hasNames: boolean;
  /** As of `StatementNames`. */
  readonly keepsPlans: boolean;
}

export function useConnections({ Client, pool, schema, hasNames, keepsPlans }: ConnectionOptions): ServerConnections {
  const names = hasNames ? new StatementNames({ keepsPlans }) : unnamed;
  const adapter = new PrismaPg(pool, { schema, statementNameGenerator: ({ sql }) => names.nameOf(sql)?.name ?? '' });
  const prisma = new PrismaClient({
    adapter: traceAdapter(adapter),
    // Prisma's 2 seconds for a connection would refuse transactions before the pool itself gives up.
    transactionOptions: { maxWait: connectTimeoutMilliseconds, timeout: 30_000 },
  });
  return { Client, pool, statements: new PooledStatements(pool, names), prisma };
}

/** Running statements are not cut off. */
export async function closeConnections({ prisma, pool }: ServerConnections): Promise<void> {
  await prisma.$disconnect();
  await pool.end();
}

// `entryway distribute`: distributes the sites over the nodes of Citus.
import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { databaseWords, nameDatabase } from '../databaseName.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, withTables } from '../operator/run.ts';
import { UsageError } from '../../../clients/cli/src/terminal/refusal.ts';

const usualShards = 32;
const maxShards = 4_096;

interface DistributeOptions {
  readonly dryRun?: boolean;
  readonly shards?: string;
}

export function define(command: Command): void {
  command
    .option('--dry-run', 'check, and print what would be done')
    .option('--shards <n>', `how many parts the sites are in, which can be moved one by one`, String(usualShards))
    .addHelpText('after', distributeHelp)
    .action(printing(distribute));
}

const distributeHelp = `
DATABASE_URL names the coordinator of a PostgreSQL with Citus, whose tables are migrated. Stop all processes of the service before,
and start them afterwards. The tables change in one transaction: all of them, or none. Run it again after a node was added.
docs/scaling.md has the rest.`;

/** @throws {UsageError} for the embedded database; {Refusal} if the tables cannot be distributed */
async function distribute({ dryRun = false, shards = String(usualShards) }: DistributeOptions): Promise<Result> {
  const config = readConfig(process.env);
  if (config.databaseUrl === undefined) {
    throw new UsageError(
      'This spreads the sites over PostgreSQL servers: set DATABASE_URL to the coordinator of them.',
    );
  }
  const count = Number(shards);
  if (!Number.isInteger(count) || count < 1 || count > maxShards) {
    throw new UsageError(`--shards must be a number from 1 to ${maxShards}.`);
  }
  const database = nameDatabase(config);
  const where = databaseWords(database);
  return withTables(async (opened) => {
    const statements = await carryOut(opened, count, dryRun);
    const does = dryRun ? 'Would run, and has changed nothing' : 'Done';
    const text =
      statements.length === 0
        ? `Nothing to do: the sites of ${where} are distributed.`
        : `${statements.join(';\n')};\n\n${does}: in ${where}.`;
    return { json: { statements, dryRun, database }, text };
  });
}

/** @returns the statements that were run, or would be */
async function carryOut(database: Database, shards: number, dryRun: boolean): Promise<string[]> {
  const { planDistribution } = await import('../../database/citus/distribution.ts');
  const { describeShards } = await import('../../database/citus/distributionStatistics.ts');
  const { explain, runDistribution } = await import('../operator/runDistribution.ts');
  const own = await listOwn(database);
  return database.session(async (session) => {
    const plan = await explain('Nothing was changed', () => planDistribution(session, shards));
    if (!dryRun) await runDistribution(session, plan, own);
    const casts = plan.casts.flatMap(({ host, port, statements }) =>
      statements.map((each) => `/* on ${host}:${port} */ ${each}`),
    );
    return [...plan.statements, ...casts, ...plan.undescribed.map(describeShards)];
  });
}

/** The process ids of the pool's connections. It has opened one so far, because no earlier step needs two at a time. */
async function listOwn({ prisma }: Database): Promise<number[]> {
  const rows = await prisma.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return rows.map(({ pid }) => pid);
}

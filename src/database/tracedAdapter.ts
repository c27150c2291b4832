// Adds a span for each statement of a traced request to Prisma's driver adapters.
import type { SqlDriverAdapterFactory, SqlQueryable } from '@prisma/driver-adapter-utils';
import { isTracing, runInStatementSpan } from '../telemetry/tracing.ts';

/** Traces the statements of an adapter, and of its transactions. */
export function traceAdapter(factory: SqlDriverAdapterFactory): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = traceQueries(await factory.connect());
      const start = adapter.startTransaction.bind(adapter);
      adapter.startTransaction = async (isolationLevel) => traceQueries(await start(isolationLevel));
      return adapter;
    },
  };
}

/** Wraps the methods that send statements, in place. @returns the same object */
function traceQueries<Queries extends SqlQueryable>(queries: Queries): Queries {
  const query = queries.queryRaw.bind(queries);
  const execute = queries.executeRaw.bind(queries);
  queries.queryRaw = (statement) => {
    const run = (): ReturnType<typeof query> => query(statement);
    return isTracing ? runInStatementSpan(statement.sql, run, ({ rows }) => rows.length) : run();
  };
  queries.executeRaw = (statement) => {
    const run = (): ReturnType<typeof execute> => execute(statement);
    return isTracing ? runInStatementSpan(statement.sql, run, () => null) : run();
  };
  return queries;
}

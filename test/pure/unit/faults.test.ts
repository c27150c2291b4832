// Faults that end a request of GraphQL before it is executed have a line of the log, with its id (docs/contract.md §13.2).
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.ts';
import type { Context } from '../../../src/resolvers/context.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { DocumentCache } from '../../../src/graphql/documents.ts';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { createGraphqlServer } from '../../../src/graphql/server.ts';

interface Failing {
  readonly reading?: Error;
  readonly admission?: Error;
}

/** Asks a server, while something fails. @returns the codes of the answer's errors, and the lines of the log */
async function ask({ reading, admission }: Failing): Promise<{ codes: unknown[]; lines: unknown[] }> {
  const { production, limits } = readConfig({});
  const lines: unknown[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const documents = new DocumentCache(limits.graphql.length).of('');
  const server = createGraphqlServer({
    schema: createSchema(resolvers),
    documents,
    production,
    limits: limits.graphql,
    log,
  });
  await server.start();
  const context = {
    caller: { kind: 'master', customer: null },
    stats: { requestId: 'the request', noteError: () => undefined },
    admission: { admit: () => (admission ? Promise.reject(admission) : Promise.resolve()) },
  };
  const contextValue = {
    context: context as unknown as Context,
    shares: {
      readAlone: <Result>(read: () => Result) => (reading ? Promise.reject(reading) : Promise.resolve(read())),
    },
  };
  const { body } = await server.executeOperation({ query: '{ __typename }' }, { contextValue });
  await server.stop();
  const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
  return { codes: errors.map(({ extensions }) => extensions?.['code']), lines };
}

test.each<[string, Failing]>([
  ['the reading of a new document', { reading: new RangeError('too deep') }],
  ['the admission of an operation', { admission: new RangeError('too deep') }],
])(
  'a GraphQL request whose %s fails: the answer hides the reason, and the log has it with the id',
  async (_what, failing) => {
    const { codes, lines } = await ask(failing);
    expect(codes).toEqual(['INTERNAL_SERVER_ERROR']);
    const err = expect.objectContaining({ type: 'RangeError', message: 'too deep' });
    expect(lines).toEqual([{ level: 50, requestId: 'the request', err, msg: 'internal' }]);
  },
);

test('a refused GraphQL operation has no log line of its own', async () => {
  const { codes, lines } = await ask({ admission: new ServiceError('rate_limited') });
  expect(codes).toEqual(['RATE_LIMITED']);
  expect(lines).toEqual([]);
});

// Apollo Server's own services, which it uses on its own where the environment names a key, are never used (src/graphql/server.ts).
import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.ts';
import { DocumentCache } from '../../../src/graphql/documents.ts';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { createGraphqlServer } from '../../../src/graphql/server.ts';

const environment = process.env;
afterEach(() => {
  process.env = environment;
});

test('no environment variable makes Apollo Server report to its vendor', async () => {
  const variables = { APOLLO_KEY: 'service:a:b', APOLLO_SCHEMA_REPORTING: 'true' };
  process.env = { ...environment, ...variables };
  const { production, limits } = readConfig({});
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const documents = new DocumentCache(limits.graphql.length).of('');
  const server = createGraphqlServer({
    schema: createSchema(resolvers),
    documents,
    production,
    limits: limits.graphql,
    log,
  });
  // Without a graph's name both kinds of reports end in an error or a warning, where they are not turned off.
  await server.start();
  await server.stop();
  expect(lines).toEqual([]);
});

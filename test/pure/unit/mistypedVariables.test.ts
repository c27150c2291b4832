// Names of environment variables that nothing reads, near those that something does read.
import { expect, test } from '@jest/globals';
import { mistypedVariables } from '../../../src/cli/serve/mistypedVariables.ts';

test.each([
  ['RATELIMIT', 'RATE_LIMIT'],
  ['RATE_LIMIT_LEGACY_HEADER', 'RATE_LIMIT_LEGACY_HEADERS'],
  ['METRICSPORT', 'METRICS_PORT'],
  ['GRAPHQLMAXROOTFIELDS', 'GRAPHQL_MAX_ROOT_FIELDS'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATABASE_URL_FLIE', 'DATABASE_URL_FILE'],
  ['rate_limit', 'RATE_LIMIT'],
  ['PROT', 'PORT'],
  ['ENTRYWAY_TOKN', 'ENTRYWAY_TOKEN'],
])('the unused variable %s is reported as near to %s', (variable, near) => {
  expect(mistypedVariables({ [variable]: 'a secret' })).toEqual([{ variable, near }]);
});

test.each(['PORT', 'RATE_LIMIT_TOKEN', 'ENTRYWAY_URL', 'PGPORT', 'PGHOST', 'HOME', 'HOSTNAME', 'NODE_VERSION', 'PATH'])(
  'the unused variable %s is not reported',
  (name) => {
    expect(mistypedVariables({ [name]: '1' })).toEqual([]);
  },
);

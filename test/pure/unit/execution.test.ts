// Apollo Server's response to operations that cannot begin (src/graphql/executor/execution.ts).
import { expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { executeOperations } from '../../../src/graphql/executor/execution.ts';
import { LazySchema } from '../../../src/graphql/lazySchema.ts';

test('an operation that fails before execution gets a response with its error, which is counted', async () => {
  const noted: string[] = [];
  const hooks = executeOperations({
    format: (formatted) => formatted,
    note: (errors) => noted.push(...errors.map(({ message }) => message)),
  });
  const schema: unknown = Object.assign(Object.create(LazySchema.prototype), {
    copy: () => {
      throw new Error('no copy');
    },
  });
  const document = parse('{ __schema { queryType { name } } }');
  const http = { headers: new Map() };
  const [operation] = document.definitions;
  const asked = { schema, document, operation, request: {}, contextValue: { context: {} }, response: { http } };
  const response = await hooks.responseForOperation(asked as never);
  expect(response).toMatchObject({
    http: { status: 500 },
    body: { singleResult: { errors: [expect.objectContaining({ message: 'no copy' })] } },
  });
  expect(noted).toEqual(['no copy']);
});

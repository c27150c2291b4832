// The fixed members of an entry are written as graphql-js writes what their resolvers return (src/graphql/executor/entryMembers.ts).
import { expect, test } from '@jest/globals';
import { execute as executeByLibrary, isObjectType, parse } from 'graphql';
import { members } from '../../../src/entries/members.ts';
import { execute, stringifyResult } from '../../../src/graphql/executor/execute.ts';
import { writesJson } from '../../../src/graphql/executor/plan.ts';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { operationOf } from '../../support/operationOf.ts';

const names = {
  id: '01983c1e-0000-7000-8000-000000000000',
  shortId: 'Abcdefghij',
  slug: 'one-two',
  url: 'https://content.example/channels/articles/entries/01983c1e-0000-7000-8000-000000000000',
  createdAt: '2026-11-25T00:00:00.000Z',
  updatedAt: '2026-11-25T00:00:00.001Z',
};

test.each([null, '2026-11-26T00:00:00.000Z'])(
  'fixed members are written as by graphql-js, published at %s',
  async (publishAt) => {
    const schema = createSchema(resolvers);
    const document = parse(`subscription { changes { entry { ${Object.keys(names).join(' ')} publishAt } } }`);
    const rootValue = { entry: () => ({ ...names, publishAt }) };
    const operation = operationOf(document);
    const written = await execute({ schema, document, operation, context: {}, rootValue });
    const expected = await executeByLibrary({ schema, document, rootValue });
    expect(stringifyResult(written)).toBe(`${JSON.stringify(expected)}\n`);
    expect(written.errors).toBeUndefined();
  },
);

test('exactly the fixed members are written without waiting', () => {
  const type = createSchema(resolvers).getType('Entry');
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  const written = fields.filter(({ extensions }) => writesJson in extensions).map(({ name }) => name);
  expect(written.sort()).toEqual([...Object.keys(names), 'publishAt'].sort());
});

test('every fixed member is a field of entries in GraphQL', () => {
  const type = createSchema(resolvers).getType('Entry');
  expect(isObjectType(type) ? Object.keys(type.getFields()) : []).toEqual(expect.arrayContaining(Object.keys(members)));
});

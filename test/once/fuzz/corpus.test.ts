// What the fuzzer starts from: a real request for every door there is, each of which succeeds as it stands. A route, a
// field, an argument or a member of an input that has none fails here: write one in corpus.rest.ts or corpus.graphql.ts.
import { afterAll, expect, test } from '@jest/globals';
import { isInputObjectType, isObjectType } from 'graphql';
import { schema } from '../../both/fuzz/tree.ts';
import { routes } from '../../../src/features.ts';
import { suiteApp } from '../../support/scene.ts';
import { master } from '../../both/fuzz/callers.ts';
import { graphqlSeeds, samples } from '../../both/fuzz/corpus.graphql.ts';
import { restSeeds } from '../../both/fuzz/corpus.rest.ts';
import { seeded } from '../../support/random.ts';
import { wireOf } from '../../both/fuzz/request.ts';
import { fill, openSender } from '../../both/fuzz/send.ts';
import { buildWorld } from '../../both/fuzz/world.ts';

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** The names that all keys of a value have, however deep. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysIn(member)]);
}

test('the corpus has a request for each route, with each of its parameters', () => {
  const seeds = restSeeds('play');
  const missing = routes.flatMap(({ method, path, parameters }) => {
    const own = seeds.filter(({ seed }) => seed === `${method} ${path}`);
    const sent = new Set(own.flatMap(({ query }) => query.map(([name]) => name)));
    const unsent = parameters.filter((name) => !sent.has(name)).map((name) => `${method} ${path}?${name}`);
    return own.length === 0 ? [`${method} ${path}`] : unsent;
  });
  expect(missing).toEqual([]);
});

test('the corpus has each root field of the schema, with each of its arguments', () => {
  const roots = types.filter(isObjectType).filter(({ name }) => name === 'Query' || name === 'Mutation');
  const missing = roots.flatMap((type) =>
    Object.values(type.getFields()).flatMap(({ name, args }) => {
      const rows = samples[`${type.name}.${name}`];
      if (!rows) return [`${type.name}.${name}`];
      const sent = new Set(rows.flatMap((row) => Object.keys(row)));
      return args.filter((argument) => !sent.has(argument.name)).map((argument) => `${name}(${argument.name})`);
    }),
  );
  expect(missing).toEqual([]);
});

test('the corpus has each member of the schema’s inputs', () => {
  const sent = new Set(keysIn(samples));
  const missing = types
    .filter(isInputObjectType)
    .flatMap((type) => Object.keys(type.getFields()).filter((name) => !sent.has(name)));
  expect(missing).toEqual([]);
});

const app = await suiteApp({ RATE_LIMIT: 'off' });
const world = await buildWorld(app, seeded(1));
const sender = openSender(app.url);
afterAll(() => sender.close());

const accepted = [...restSeeds('play'), ...graphqlSeeds('play', { supported: true })];

test.each(accepted)('a request of the corpus succeeds with a master token: $seed', async (draft) => {
  const wire = wireOf({ ...draft, headers: [...master.headers, ...draft.headers] }, []);
  const { status, text } = await sender.send(fill(wire, world.values));
  expect({ isFine: [200, 201, 204].includes(status) && !text.includes('"errors":['), status, text }).toMatchObject({
    isFine: true,
  });
});

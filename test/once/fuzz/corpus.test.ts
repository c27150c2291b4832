// What the fuzzer starts from: a real request for every door there is, each of which succeeds as it stands. A route, a
// field, an argument or a member of an input that has none fails here: write one in corpus.rest.ts or corpus.graphql.ts.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TypeInfo, isInputObjectType, isObjectType, parse, visit, visitWithTypeInfo } from 'graphql';
import { createSchema } from '../../../src/graphql/schema.ts';
import { routes } from '../../../src/rest/routes.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { master } from '../../both/fuzz/callers.ts';
import { everySample, graphqlSeeds } from '../../both/fuzz/corpus.graphql.ts';
import { restSeeds } from '../../both/fuzz/corpus.rest.ts';
import { seeded } from '../../both/fuzz/random.ts';
import { wireOf } from '../../both/fuzz/request.ts';
import { fill, openSender, type Sender } from '../../both/fuzz/send.ts';
import { buildWorld, type World } from '../../both/fuzz/world.ts';

const schema = createSchema();
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** The names that all keys of a value have, however deep. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysIn(member)]);
}

/** What the corpus asks for: `Type.field` and `Type.field(argument)`. */
function asked(): Set<string> {
  const found = new Set<string>();
  for (const { document } of everySample) {
    const info = new TypeInfo(schema);
    visit(
      parse(document),
      visitWithTypeInfo(info, {
        Field: ({ name, arguments: all = [] }) => {
          const field = `${info.getParentType()?.name ?? ''}.${name.value}`;
          found.add(field);
          for (const argument of all) found.add(`${field}(${argument.name.value})`);
        },
      }),
    );
  }
  return found;
}

test('each route has a request, with each of its parameters', () => {
  const seeds = restSeeds('play');
  const missing = routes.flatMap(({ method, path, parameters }) => {
    const own = seeds.filter(({ seed }) => seed === `${method} ${path}`);
    const sent = new Set(own.flatMap(({ query }) => query.map(([name]) => name)));
    const unsent = parameters.filter((name) => !sent.has(name)).map((name) => `${method} ${path}?${name}`);
    return own.length === 0 ? [`${method} ${path}`] : unsent;
  });
  expect(missing).toEqual([]);
});

test('each field of the schema is asked for, with each of its arguments', () => {
  const found = asked();
  const missing = types.filter(isObjectType).flatMap((type) =>
    Object.values(type.getFields()).flatMap(({ name, args }) => {
      const field = `${type.name}.${name}`;
      return [field, ...args.map((argument) => `${field}(${argument.name})`)].filter((each) => !found.has(each));
    }),
  );
  expect(missing).toEqual([]);
});

test('each member of the schema’s inputs is sent', () => {
  const sent = new Set(everySample.flatMap(({ variables }) => keysIn(variables)));
  const inputs = types.filter(isInputObjectType);
  const missing = inputs.flatMap((type) => Object.keys(type.getFields()).filter((name) => !sent.has(name)));
  expect(missing).toEqual([]);
});

let app: TestApp;
let world: World;
let sender: Sender;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT: 'off' });
  world = await buildWorld(app, seeded(1));
  sender = openSender(app.url);
});
afterAll(async () => {
  sender.close();
  await app.close();
});

const accepted = [...restSeeds('play'), ...graphqlSeeds('play', { supported: true })];

test.each(accepted)('a master token may: $seed', async (draft) => {
  const wire = wireOf({ ...draft, headers: [...master.headers, ...draft.headers] }, []);
  const { status, text } = await sender.send(fill(wire, world.values));
  expect({ isFine: [200, 201, 204].includes(status) && !text.includes('"errors":['), status, text }).toMatchObject({
    isFine: true,
  });
});

// The memory and the budget that the schemas of sites take (docs/contract.md §11.2).
import { describe, expect, jest, test } from '@jest/globals';
import { type GraphQLEnumType, type GraphQLInputObjectType } from 'graphql';
import type { BriefChannel } from '../../../src/auth/directory.ts';
import { unlimitedBudget } from '../../../src/admission/budget.ts';
import { plainField, type FieldDefinition } from '../../../src/fields/definition.ts';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { buildSiteSchema } from '../../../src/features/typed/graphql/build.ts';
import { makeCommonTypes } from '../../../src/features/typed/graphql/commonTypes.ts';
import { estimateBytes, SiteSchemas, type SiteSchemaOptions } from '../../../src/features/typed/graphql/schemas.ts';
import {
  presentKnown,
  type CachedFields,
  type KnownChannel,
  type KnownChannels,
} from '../../../src/management/channels/describe.ts';

const schema = createSchema(resolvers);
const unused = { limits: { length: 10_000 } } as unknown as SiteSchemaOptions;

function makeField(parts: Partial<FieldDefinition>): FieldDefinition {
  return { name: 'a', type: 'string', ...plainField, ...parts };
}

function makeChannel(...fields: FieldDefinition[]): KnownChannel {
  return {
    id: 'films',
    name: 'Films',
    typeName: null,
    publishable: true,
    fields: fields as unknown as KnownChannel['fields'],
    settable: new Set(),
  };
}

/** Channels that a caller may know of, and how often they were loaded. */
function makeKnown(load: () => Promise<readonly KnownChannel[]>) {
  const loading = jest.fn(load);
  const ofCaller = {
    kind: 'master',
    rights: [],
    scopes: null,
    settable: new Set<never>(),
    settableKey: () => '',
  } as const;
  const known: KnownChannels = { ...ofCaller, version: 'v1', load: loading };
  return { known, loading };
}

describe('texts', () => {
  test('the text of a site’s schema is printed once for concurrent requests, each of which counts as a large answer', async () => {
    const schemas = new SiteSchemas(schema, unused);
    const { known, loading } = makeKnown(() =>
      Promise.resolve([makeChannel(makeField({ hint: 'x'.repeat(300_000) }))]),
    );
    const taken: number[] = [];
    const budget = {
      ...unlimitedBudget,
      awaitText: (bytes: number) => {
        taken.push(bytes);
        return Promise.resolve();
      },
    };
    const asked = Array.from({ length: 20 }, () => schemas.print(known, { site: 's', admission: { budget } }));
    const [text, ...others] = await Promise.all(asked);
    expect([new Set([text, ...others]).size, loading.mock.calls.length]).toEqual([1, 1]);
    expect(taken).toEqual(Array.from({ length: 20 }, () => Buffer.byteLength(text ?? '')));
  });

  test('a failed request for the text of a schema does not fail others', async () => {
    const schemas = new SiteSchemas(schema, unused);
    let times = 0;
    const { known, loading } = makeKnown(() => {
      times += 1;
      return times === 1 ? Promise.reject(new Error('It is over.')) : Promise.resolve([makeChannel(makeField({}))]);
    });
    const asked = Array.from({ length: 3 }, () =>
      schemas.print(known, { site: 's', admission: { budget: unlimitedBudget } }),
    );
    const results = await Promise.allSettled(asked);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(loading).toHaveBeenCalledTimes(2);
  });

  test('a text of a schema that is too large is not printed again, and not sent', async () => {
    const schemas = new SiteSchemas(schema, unused);
    const { known, loading } = makeKnown(() =>
      Promise.resolve([makeChannel(makeField({ hint: 'x'.repeat(17_000_000) }))]),
    );
    for (let time = 0; time < 2; time += 1) {
      await expect(schemas.print(known, { site: 's', admission: { budget: unlimitedBudget } })).rejects.toMatchObject({
        code: 'answer_too_large',
        detail: expect.stringContaining('33554432 bytes') as unknown,
      });
    }
    expect(loading).toHaveBeenCalledTimes(1);
  });
});

test('cached fields count against a request’s budget like loaded ones', async () => {
  const channels = ['a', 'b'].map(
    (id) => ({ id, uid: id, siteId: 's', version: 1, fieldRules: [] }) as unknown as BriefChannel,
  );
  const kept: CachedFields = { get: () => ({ fields: [], bytes: 1_000 }), set: () => undefined };
  const taken: number[] = [];
  const budget = {
    ...unlimitedBudget,
    takeRows: (bytes: number) => {
      taken.push(bytes);
      return Promise.resolve();
    },
  };
  const context = { site: 's', admission: { budget }, caller: { kind: 'master', customer: null, scopes: null } };
  const known = presentKnown(channels, context as unknown as Parameters<typeof presentKnown>[1]);
  expect((await known.load(kept))?.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(taken).toEqual([2_000]);
});

describe('the size of a schema', () => {
  const options = Array.from({ length: 100 }, (_, at) => `OPTION_${at}`);
  const select = makeChannel(makeField({ name: 'mood', type: 'select', options }));

  test('the size of a schema counts the options of selects', () => {
    const [few, many] = [makeChannel(makeField({})), select].map((each) => estimateBytes([each]));
    expect(Number(many) - Number(few)).toBeGreaterThan(options.length * 640);
  });

  test('the size of a schema counts the members of enums and comparisons when they are filled in', () => {
    const built = buildSiteSchema([select], true, makeCommonTypes(schema), null);
    const before = built.filled;
    (built.getType('FilmsMood') as GraphQLEnumType).getValues();
    expect(built.filled - before).toBe(100);
    const operators = Object.keys((built.getType('FilmsMoodFilter') as GraphQLInputObjectType).getFields());
    expect(built.filled - before).toBe(100 + operators.length);
  });
});

test('each type of a channel is reachable, whether channels refer to each other, to themselves, elsewhere or nowhere', async () => {
  const refer = (name: string, channel: string | null): FieldDefinition =>
    makeField({ name, type: 'reference', channel });
  const one = (id: string, ...fields: FieldDefinition[]): KnownChannel => ({ ...makeChannel(...fields), id });
  const sites = [
    [
      one('films', refer('director', 'people'), refer('sequel', 'films')),
      ...[one('people', makeField({ name: 'name' })), one('notes', makeField({ name: 'note' })), one('free')],
    ],
    [one('lonely', makeField({}))],
    [one('lost', refer('gone', null))],
    [one('lost', makeField({ name: 'gone', type: 'references' }))],
  ];
  for (const channels of sites) {
    const common = makeCommonTypes(schema);
    const { known } = makeKnown(() => Promise.resolve(channels));
    const printed = await new SiteSchemas(schema, unused).print(known, {
      site: 's',
      admission: { budget: unlimitedBudget },
    });
    const text = printed ?? '';
    const named = [...text.matchAll(/^(?:type|enum|input) (\w+)/gm)].map(([, name = '']) => name);
    const uses = (name: string): number => [...text.matchAll(new RegExp(`(?:: \\[?|\\(|\\| )${name}\\b`, 'g'))].length;
    const own = named.filter((name) => !common.all.has(name) && !['Query', 'Mutation'].includes(name));
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((name) => uses(name) === 0 && !text.includes(`type ${name} implements`))).toEqual([]);
  }
});

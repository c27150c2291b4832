// Published holes of systems like this one, by the shapes V1 to V26, tried here: a bulk path that does not carry the rule.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSchema } from '../../../src/graphql/schema.ts';
import { routes } from '../../../src/rest/routes.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { fieldsOf } from '../../support/doors.ts';
import { buildEntries, buildSites, kinds, names, stateOf, type Sites } from '../../support/sites.ts';

let app: TestApp;
let sites: Sites;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT: 'off' });
  sites = await buildSites(app);
});
afterAll(() => app.close());

const path = '/channels/forms/entries';

type Action = 'create' | 'update' | 'delete';

interface Results {
  readonly results?: readonly { readonly status: number }[];
}

/** One write to a form: the status that it has. */
type Door = (sites: Sites, kind: string, action: Action, id: string) => Promise<number | undefined>;

const singly: Door = async ({ ask }, kind, action, id) => {
  const method = { create: 'POST', update: 'PATCH', delete: 'DELETE' }[action];
  const options = action === 'delete' ? {} : { body: { note: 'new' } };
  return (await ask(kind).rest(method, action === 'create' ? path : `${path}/${id}`, options)).status;
};

const named = (action: Action, id: string): object => (action === 'create' ? {} : { id });

const bulkDoors: Record<string, Door> = {
  'POST …/bulk': async ({ ask }, kind, action, id) => {
    const operation = { op: action, ...named(action, id), ...(action !== 'delete' && { data: { note: 'new' } }) };
    const answer = await ask(kind).rest<Results>('POST', `${path}/bulk`, { body: { operations: [operation] } });
    return answer.status === 200 ? answer.body.results?.[0]?.status : answer.status;
  },
  bulkEntries: async ({ ask }, kind, action, id) => {
    const input = action !== 'delete' && { input: { fields: { note: 'new' } } };
    const operation = { op: action.toUpperCase(), ...named(action, id), ...input };
    const { status, data } = await ask(kind).gql<{ bulkEntries: Results } | undefined>(
      `mutation ($operations: [EntryOperationInput!]!) {
        bulkEntries(channel: "forms", operations: $operations) { results { status } } }`,
      { operations: [operation] },
    );
    return status === 200 ? data?.bulkEntries.results?.[0]?.status : status;
  },
};

/** What came of a write to each of four new forms: its status, and the version that the form has then. */
async function outcomes(door: Door, kind: string, action: Action): Promise<unknown[]> {
  const rows = await buildEntries(app, sites.here.forms);
  const found: unknown[] = [];
  for (const name of names) {
    const { siteId, id } = rows[name];
    const status = await door(sites, kind, action, id);
    const row = await app.database.prisma.entry.findUnique({ where: { siteId_id: { siteId, id } } });
    found.push([name, status, row?.version]);
  }
  return found;
}

describe('V1: a new bulk path that does not carry the row rule', () => {
  test('the bulk paths are these two', () => {
    const many = /bulk|batch|many|import|upsert|all|entries/i;
    const mutations = [...fieldsOf(createSchema()).keys()].filter((field) => field.startsWith('Mutation.'));
    expect(mutations.filter((name) => many.test(name))).toEqual(['Mutation.bulkEntries']);
    const paths = routes.map(({ path: each }) => each.replace('/entries', ''));
    expect(paths.filter((each) => many.test(each))).toEqual(['/channels/:channel/bulk']);
  });

  test('what they do is done by the operations themselves, and by no statement of their own', () => {
    const root = fileURLToPath(new URL('../../../src', import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('bulk.ts'));
    const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const));
    expect([...texts.keys()].sort()).toEqual(['inputs/bulk.ts', 'resolvers/entries/bulk.ts', 'rest/bulk.ts']);
    const called = [...(texts.get('resolvers/entries/bulk.ts') ?? '').matchAll(/\b((create|update|delete)\w+)\(/g)];
    expect(called.map(([, name]) => name)).toEqual(['createTogether', 'updateEntry', 'deleteEntry']);
    // Those that are created together are drafted as the one that is created by itself.
    const creation = readFileSync(join(root, 'resolvers/entries/create.ts'), 'utf8');
    expect([creation.match(/\bdraftOf\(/g)?.length, creation.match(/\bmayCreate\(/g)?.length]).toEqual([3, 1]);
    const writing = /\b(INSERT INTO|UPDATE|DELETE FROM) \w|\$executeRaw|\bentry\.\w+\(|\b(mayWrite|mayCreate|maySee)\(/;
    for (const [file, text] of texts) expect([file, writing.test(text)]).toEqual([file, false]);
  });

  test.each(kinds)('%s may do in bulk, by either door, what it may do singly', async (kind) => {
    for (const action of ['create', 'update', 'delete'] as const) {
      // Of callers of another site, nothing is here.
      const before = await stateOf(sites, sites.there);
      const expected = await outcomes(singly, kind, action);
      for (const [door, ask] of Object.entries(bulkDoors)) {
        expect([action, door, await outcomes(ask, kind, action)]).toEqual([action, door, expected]);
      }
      if (kind !== 'elsewhere') expect(await stateOf(sites, sites.there)).toBe(before);
    }
  });

  test('beside one another each is decided on its own, and those that are refused leave nothing', async () => {
    const { adas, closed, open, draft } = await buildEntries(app, sites.here.forms);
    const operations = [closed, adas, open, draft].map(({ id }) => ({ op: 'update', id, data: { note: 'new' } }));
    for (const [kind, statuses] of [
      ['public', [404, 404, 403, 404]],
      ['public+ada', [404, 200, 200, 200]],
      ['user+ada', [404, 200, 200, 200]],
    ] as const) {
      const { body } = await sites.ask(kind).rest<Results>('POST', `${path}/bulk`, { body: { operations } });
      expect([kind, body.results?.map(({ status }) => status)]).toEqual([kind, statuses]);
    }
    const { siteId, id } = closed;
    const row = await app.database.prisma.entry.findUnique({ where: { siteId_id: { siteId, id } } });
    expect([row?.version, row?.data]).toEqual([1, closed.data]);
  });
});

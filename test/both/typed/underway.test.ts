// A request that asks for the schema of a site while its caller's rights end, or while a channel ceases to exist to the caller
// (docs/contract.md §2.6, §11.2).
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { SiteSchemas } from '../../../src/features/typed/graphql/schemas.ts';
import { unlimitedBudget } from '../../../src/admission/budget.ts';
import { Shares } from '../../../src/admission/shares.ts';
import { Directory, listBriefChannels } from '../../../src/auth/directory.ts';
import { routes } from '../../../src/features.ts';
import { Documents, type DocumentSource } from '../../../src/features/typed/openapi/document.ts';
import { presentKnown } from '../../../src/management/channels/describe.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildCustomer } from '../../support/build.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/graphql/site';
const textPath = `${path}/schema.graphql`;

let scene: Scene;
let visitor: Caller;
beforeEach(async () => {
  scene = await buildScene(app, { fields: [{ name: 'title', type: 'string' }] });
  visitor = as(app, { token: scene.site.public });
  expect((await visitor.rest('GET', textPath)).text).toContain('type Articles ');
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Revokes the public token, until it is refused. */
async function revoke(): Promise<void> {
  const { body } = await scene.master.rest<{ id: string; kind: string }[]>('GET', '/tokens');
  const id = body.find(({ kind }) => kind === 'public')?.id ?? '';
  expect((await scene.master.rest('DELETE', `/tokens/${id}`)).status).toBe(204);
  // Rights that were looked at just now are not looked at again.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const deadline = Date.now() + 30_000;
  while ((await visitor.rest('GET', '/channels')).status !== 401) expect(Date.now()).toBeLessThan(deadline);
}

/** Has something done once, when a text has been printed and is about to be sent. */
function whilePrinted(work: () => Promise<void>): void {
  const print = jest.spyOn(SiteSchemas.prototype, 'print');
  print.mockImplementationOnce(async () => {
    await work();
    return 'what is no longer theirs';
  });
}

test('a token that is revoked meanwhile gets no schema that was printed for it', async () => {
  whilePrinted(revoke);
  const { status, text } = await visitor.rest('GET', textPath);
  expect([status, text]).toEqual([401, expect.not.stringContaining('no longer theirs')]);
});

test('a schema with a channel that becomes unknown to the caller is printed again', async () => {
  whilePrinted(async () => {
    const hidden = await scene.master.rest('PATCH', '/channels/articles', { body: { acl: { read: 'none' } } });
    expect(hidden.status).toBe(200);
  });
  const { status, text } = await visitor.rest('GET', textPath);
  expect(status).toBe(200);
  expect(text).not.toMatch(/Articles|no longer theirs/);
  expect(text).toContain('type Query ');
});

test('a schema is printed a limited number of times while channels change', async () => {
  const print = jest.spyOn(SiteSchemas.prototype, 'print').mockImplementation(async () => {
    const name = `Name ${print.mock.calls.length}`;
    expect((await scene.master.rest('PATCH', '/channels/articles', { body: { name } })).status).toBe(200);
    return 'a text';
  });
  const { status, headers } = await visitor.rest('GET', textPath);
  expect([status, headers.get('retry-after'), print.mock.calls.length]).toEqual([503, '1', 3]);
});

test('fields that a channel got since it was listed are described to nobody by what was listed', async () => {
  const { site, db, master } = scene;
  const list = Reflect.get(Directory.prototype, 'channels');
  // The fields of this version were not loaded yet.
  expect((await master.rest('PATCH', '/channels/articles', { body: { name: 'Other' } })).status).toBe(200);
  const listed = await listBriefChannels(db, site.id);
  const secret = { name: 'secret', type: 'string', read: ['role:staff'] };
  const body = { fields: [{ name: 'title', type: 'string' }, secret] };
  expect((await master.rest('PATCH', '/channels/articles', { body })).status).toBe(200);
  // By the older list both may read the same.
  jest.spyOn(Directory.prototype, 'channels').mockImplementation(function (this: Directory, siteId) {
    return siteId === site.id ? Promise.resolve(listed) : list.call(this, siteId);
  });
  const fieldsFor = async (caller: Caller): Promise<string[]> => {
    const document = '{ __type(name: "Articles") { fields { name } } }';
    const { data } = await caller.gql<{ __type: { fields: { name: string }[] } }>(document, {}, { path });
    return data.__type.fields.map(({ name }) => name).filter((name) => ['title', 'secret'].includes(name));
  };
  const { session } = await buildCustomer(db, site.id, { roles: ['staff'] });
  expect(await fieldsFor(as(app, { token: site.public, session }))).toEqual(['title', 'secret']);
  expect(await fieldsFor(visitor)).toEqual(['title']);
});

test('an OpenAPI document is made of the channels that were listed, or not at all', async () => {
  const { site, db, master } = scene;
  const caller = { kind: 'public', customer: null, scopes: null };
  const context = { site: site.id, services: { db }, admission: { budget: unlimitedBudget }, caller };
  const documents = new Documents(() => routes);
  const list = async (): Promise<DocumentSource> =>
    documents.describe(presentKnown(await listBriefChannels(db, site.id), context as never), 'http://localhost');
  const before = await list();
  const fields = [{ name: 'year', type: 'integer' }];
  expect((await master.rest('PATCH', '/channels/articles', { body: { fields } })).status).toBe(200);
  expect(await before.write()).toBeNull();
  const after = await list();
  expect([after.tag === before.tag, (await after.write())?.includes('"year"')]).toEqual([false, true]);
  const { status } = await master.rest('PATCH', '/channels/articles', { body: { name: 'Other' } });
  const gone = await list();
  const deleted = await master.rest('DELETE', '/channels/articles?confirm=articles');
  expect([status, deleted.status, await gone.write()]).toEqual([200, 204, null]);
});

/** Lets the token be revoked between the admission of the next request and its work. */
function revokeBeforeWork(): void {
  const of = jest.spyOn(Shares.prototype, 'of');
  of.mockImplementation(function (this: Shares, ...caller) {
    of.mockRestore();
    const turns = this.of(...caller);
    const enter = turns.enterWork.bind(turns);
    revokeBeforeWork();
    const enterWork = async (fields: number): Promise<() => void> => {
      jest.restoreAllMocks();
      await revoke();
      return enter(fields);
    };
    return Object.assign(turns, { enterWork });
  });
}

test('a token that is revoked while it waits gets no introspection', async () => {
  revokeBeforeWork();
  const { status, data, errors } = await visitor.gql(getIntrospectionQuery(), {}, { path });
  expect([status, data, errors?.map(({ extensions }) => extensions.code)]).toEqual([
    ...[401, undefined],
    ['UNAUTHENTICATED'],
  ]);
});

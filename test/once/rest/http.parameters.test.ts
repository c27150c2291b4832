// Query parameters: each known, well encoded, and sent once (docs/contract.md §2, §5).
import { describe, expect, test } from '@jest/globals';
import { send, type RestAnswer } from '../../support/as.ts';
import { type TestSite } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const collection = '/channels/articles/entries';
const operations = [
  ['list', 'GET', collection],
  ['count', 'GET', `${collection}/count`],
  ['fetch', 'GET', `${collection}/one`],
  ['create', 'POST', collection],
  ['update', 'PUT', `${collection}/one`],
  ['update', 'PATCH', `${collection}/one`],
  ['delete', 'DELETE', `${collection}/one`],
] as const;

/** A site with an entry `one` that only a master token sees. */
async function buildHidden(): Promise<TestSite> {
  return (await buildOne(app, {}, { readScope: 'none', fields: [{ name: 'title', type: 'string' }] })).site;
}

async function ask(token: string, method: string, target: string): Promise<RestAnswer<Record<string, unknown>>> {
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const headers = { Authorization: `Bearer ${token}`, ...(hasBody && { 'Content-Type': 'application/json' }) };
  return send(app, method, target, { headers, ...(hasBody && { body: '{"title": "x"}' }) });
}

describe('use_acl', () => {
  test.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
    ['%74rue', true],
  ])('use_acl=%s is accepted', async (value, isChecked) => {
    const site = await buildHidden();
    const list = await ask(site.master, 'GET', `${collection}?use_acl=${value}`);
    expect([list.status, (list.body as unknown as unknown[]).length]).toEqual([200, isChecked ? 0 : 1]);
    const one = await ask(site.master, 'GET', `${collection}/one?use_acl=${value}`);
    expect(one.status).toBe(isChecked ? 404 : 200);
    expect((await ask(site.master, 'DELETE', `${collection}/one?use_acl=${value}`)).status).toBe(isChecked ? 404 : 204);
  });

  describe.each(operations)('%s (%s)', (_name, method, path) => {
    test.each(['', 'yes', 'on', '2', 'null', 'true ', '%00', 'true,false'])('use_acl=%s is 400', async (value) => {
      const target = `${path}?use_acl=${encodeURI(value)}`;
      const site = await buildHidden();
      expectProblem(await ask(site.master, method, target), 'bad_request');
      expectProblem(await ask(site.public, method, target), 'bad_request');
    });
  });
});

describe.each(operations)('invalid for %s (%s)', (_name, method, path) => {
  test.each([
    'use_acl=true&use_acl=true',
    'use_acl=true&use_acl=false',
    'use_acl[]=true',
    'Use_acl=true',
    'use_acl%00=true',
    'token=x',
    'access_token=x',
    'colour.unknown_operator_=red&__proto__=1',
    '__proto__[x]=1',
    'constructor=1',
    '=1',
    '%ZZ=1',
    'use_acl=%',
    'use_acl=%C0%80',
    'use_acl=%FF',
    'use_acl=%ED%A0%80',
  ])('the query ?%s is 400, and nothing is done', async (query) => {
    const site = await buildHidden();
    expectProblem(await ask(site.master, method, `${path}?${query}`), 'bad_request');
    const list = await ask(site.master, 'GET', collection);
    expect(list.body).toEqual([expect.objectContaining({ slug: 'one', title_field_value: null })]);
  });
});

test('an empty query has no parameter', async () => {
  const site = await buildHidden();
  expect((await ask(site.master, 'GET', `${collection}?`)).status).toBe(200);
  expect((await ask(site.master, 'GET', `${collection}/one?`)).status).toBe(200);
});

test('a value that is percent-encoded 1,500 times is refused, and one that is encoded five times is read', async () => {
  const site = await buildHidden();
  const encoded = (times: number): string => `${collection}?q=%${'25'.repeat(times)}41`;
  expect((await ask(site.master, 'GET', encoded(5))).status).toBe(200);
  expectProblem(await ask(site.master, 'GET', encoded(1_500)), 'bad_request');
});

// Limits of texts count characters, as people and PostgreSQL do, and not units of UTF-16 (docs/contract.md §5.16).
import { expect, test } from '@jest/globals';
import { expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const collection = '/channels/articles/entries';
const emoji = (count: number): string => '\u{1f331}'.repeat(count);

test('a customer with an id of 255 emoji is created, and can be named by access lists and as an owner', async () => {
  const { master } = await buildScene(app);
  const id = emoji(255);
  expect((await master.rest('POST', '/customers', { body: { id } })).status).toBe(201);
  const body = { _acl: { [`id:${id}`]: { read: true } }, _owner: id };
  const created = await master.rest('POST', collection, { body });
  expect([created.status, created.body['_owner']]).toEqual([201, id]);
  expectProblem(await master.rest('POST', '/customers', { body: { id: emoji(256) } }), 'validation_failed', ['id']);
  expectProblem(await master.rest('POST', collection, { body: { _owner: emoji(256) } }), 'validation_failed', [
    '_owner',
  ]);
  const acl = { [`role:${emoji(256)}`]: { read: true } };
  expectProblem(await master.rest('POST', collection, { body: { _acl: acl } }), 'validation_failed', ['_acl']);
});

test('without declared fields, a member’s name has up to 255 characters', async () => {
  const { master } = await buildScene(app);
  const created = await master.rest('POST', collection, { body: { [emoji(255)]: 1 } });
  expect([created.status, created.body[emoji(255)]]).toEqual([201, 1]);
  expectProblem(await master.rest('POST', collection, { body: { [emoji(256)]: 1 } }), 'validation_failed', [
    emoji(256).slice(0, 300) + '…',
  ]);
});

test('names and descriptions of channels, labels, options and names of tokens have up to 255 characters', async () => {
  const { master } = await buildScene(app);
  const channel = (count: number) => ({
    name: emoji(count),
    fields: [{ name: 'kind', type: 'select', label: emoji(count), options: [emoji(count)] }],
  });
  expect((await master.rest('PATCH', '/channels/articles', { body: channel(255) })).status).toBe(200);
  expectProblem(await master.rest('PATCH', '/channels/articles', { body: channel(256) }), 'validation_failed', [
    'name',
    'fields',
    'fields',
  ]);
  expect((await master.rest('POST', '/tokens', { body: { kind: 'public', name: emoji(255) } })).status).toBe(201);
  expectProblem(
    await master.rest('POST', '/tokens', { body: { kind: 'public', name: emoji(256) } }),
    'validation_failed',
    ['name'],
  );
});

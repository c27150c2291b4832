// A field's message for people, beside its pattern: every door tells it in place of the pattern (docs/contract.md §6.2).
import { expect, test } from '@jest/globals';
import { writeChannelTypes } from '../../../src/features/typed/typescript/channelTypes.ts';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildSite } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const message = 'Three capital letters, such as NTX.';
const code = { name: 'code', type: 'string', label: 'Code', pattern: '^[A-Z]{3}$', message };
const path = '/channels/stations';

interface Channel {
  readonly fields: readonly FieldDefinition[];
}

interface Failure {
  readonly errors: readonly { readonly field: string; readonly message: string }[];
}

async function build(): Promise<{ readonly master: Caller }> {
  const site = await buildSite(app.database.prisma);
  const master = as(app, { token: site.master });
  const body = { id: 'stations', titleField: 'code', fields: [code, { ...code, name: 'plain', message: null }] };
  const made = await master.rest<Channel>('POST', '/channels', { body });
  expect([made.status, made.body.fields.map((field) => field.message)]).toEqual([201, [message, null]]);
  return { master };
}

test('REST and GraphQL refuse a text with the message of its field, and one without a message with the pattern', async () => {
  const { master } = await build();
  const values = { code: 'ntx', plain: 'ntx' };
  const expected = [
    { field: 'code', code: 'invalid', message },
    { field: 'plain', code: 'invalid', message: 'must match the string field\'s pattern "^[A-Z]{3}$"' },
  ];
  const rest = await master.rest<Failure>('POST', `${path}/entries`, { body: values });
  expect([rest.status, rest.body.errors]).toEqual([422, expected]);
  const mutation = 'mutation ($input: EntryInput!) { createEntry(channel: "stations", input: $input) { id } }';
  const { errors } = await master.gql(mutation, { input: { fields: values } });
  expect(errors?.map(({ extensions }) => [extensions.code, extensions.errors])).toEqual([['BAD_USER_INPUT', expected]]);
});

test('the site’s schema, the OpenAPI document and the types of channels have the message beside the label', async () => {
  const { master } = await build();
  const { text: schema } = await master.rest('GET', '/graphql/site/schema.graphql');
  expect(schema).toContain(message);
  const { text: document } = await master.rest('GET', '/openapi.json');
  expect(document).toContain(`"description":${JSON.stringify(message)}`);
  const { fields } = (await master.rest<Channel>('GET', path)).body;
  expect(writeChannelTypes([{ id: 'stations', name: 'Stations', fields }])).toContain(`/** Code: ${message} */`);
});

test.each([
  ['without a pattern', { pattern: null }, 'needs a pattern'],
  ['that is empty', { message: '' }, 'must not be empty'],
  ['of 256 characters', { message: 'x'.repeat(256) }, 'at most 255 characters'],
  ['that is no text', { message: 7 }, 'string'],
])('a definition with a message %s is refused', async (_what, change, why) => {
  const { master } = await build();
  const body = { fields: [{ ...code, ...change }] };
  const refused = await master.rest<Failure>('PATCH', path, { body });
  expect([refused.status, refused.body.errors.map(({ field }) => field)]).toEqual([422, ['fields']]);
  expect(refused.body.errors[0]?.message).toMatch(/message/);
  expect(refused.body.errors[0]?.message).toContain(why);
});

test('a definition with a message of 255 characters is accepted', async () => {
  const { master } = await build();
  const longest = 'x'.repeat(255);
  const taken = await master.rest<Channel>('PATCH', path, { body: { fields: [{ ...code, message: longest }] } });
  expect([taken.status, taken.body.fields[0]?.message]).toEqual([200, longest]);
});

test('a definition that was stored before messages existed has none, and sending it back changes nothing', async () => {
  const { prisma } = app.database;
  const { id: siteId, master: token } = await buildSite(prisma);
  await buildChannel(prisma, siteId, {
    id: 'stations',
    fields: [{ name: 'code', type: 'string', pattern: '^[A-Z]{3}$' }],
  });
  const where = { siteId_id: { siteId, id: 'stations' } };
  const readRow = () => prisma.channel.findUniqueOrThrow({ where });
  const [{ message: _message, ...earlier } = {}] = (await readRow()).fields as { message?: null }[];
  await prisma.channel.update({ where, data: { fields: [earlier] } });
  const master = as(app, { token });
  const { fields } = (await master.rest<Channel>('GET', path)).body;
  expect(fields).toEqual([{ ...earlier, message: null }]);
  const query = '{ channel(id: "stations") { fields { name message } } }';
  expect(expectData(await master.gql(query))).toEqual({ channel: { fields: [{ name: 'code', message: null }] } });
  const { version } = await readRow();
  expect((await master.rest('PATCH', path, { body: { fields } })).status).toBe(200);
  expect((await readRow()).version).toBe(version);
  const refused = await master.rest<Failure>('POST', `${path}/entries`, { body: { code: 'ntx' } });
  expect(refused.body.errors[0]?.message).toMatch(/must match the string field's pattern/);
});

// Patterns of fields that are large once their counted repetitions are written out: what they can be made to do is bounded,
// whether they are declared, or were stored before there was a bound (docs/contract.md §6.2).
import { expect, test } from '@jest/globals';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';
import { cpuSecondsOf } from '../../support/cpuTime.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const { db, site, master, visitor } = await buildScene(app);

const huge = `^${'(\\pL?){999}'.repeat(44)}$`;
/** Three of these are as large as the patterns of a channel may be, and they are slow for their size. */
const large = '^(?:[\\pL\\pN]?){390}';
const text = 'ab'.repeat(500);

const fieldsOf = (...patterns: string[]) =>
  patterns.map((pattern, at) => ({ name: `f${at}`, type: 'string' as const, pattern }));

test.each([
  ['one pattern', fieldsOf('a', huge), /^1\.pattern.* min and max/],
  ['several', fieldsOf(large, large, large, large, 'b', large), /^3\.pattern.* min and max/],
  ['many', fieldsOf(...Array.from({ length: 200 }, () => '\\pL'.repeat(160))), /^2\.pattern.* min and max/],
])(
  'a declaration of patterns that are too large together is refused before they are compiled: %s',
  async (_what, fields, at) => {
    const query = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
    const input = { id: 'large', name: 'Large', fields: fields.map((field) => ({ ...field, type: 'STRING' })) };
    const seconds = await cpuSecondsOf(async () => {
      const { errors } = await master.gql(query, { input });
      const told = errors?.[0]?.extensions.errors;
      expect(told).toEqual([{ field: 'fields', code: 'invalid', message: expect.stringMatching(at) }]);
    });
    expect(seconds).toBeLessThan(1);
  },
);

test('the largest patterns are declared with the longest defaults in a bounded time', async () => {
  const fields = fieldsOf(large, `^${large}`, `(?:)${large}`).map((field) => ({
    ...{ ...field, type: 'STRING', default: text },
  }));
  const query = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
  const seconds = await cpuSecondsOf(async () => {
    const { errors } = await master.gql(query, { input: { id: 'defaults', name: 'Defaults', fields } });
    expect(errors).toBeUndefined();
  });
  expect(seconds).toBeLessThan(2);
});

test('a stored pattern above the limit is not run: its fields are refused', async () => {
  await buildChannel(db, site.id, { id: 'stored', createScope: 'public', fields: fieldsOf(huge, huge, huge) });
  const body = { f0: text, f1: text, f2: text };
  const seconds = await cpuSecondsOf(async () => {
    const answer = await visitor.rest('POST', '/channels/stored/entries', { body });
    expectProblem(answer, 'validation_failed', ['f0', 'f1', 'f2']);
    expect(answer.text).toContain('a smaller one must be declared');
  });
  expect(seconds).toBeLessThan(1);
});

test('the largest patterns check the longest texts, as many as one request may', async () => {
  const fields = fieldsOf(large, `^${large}`, large);
  await buildChannel(db, site.id, { id: 'full', createScope: 'public', fields });
  const data = { f0: text, f1: text, f2: text };
  expectEntry(await visitor.rest('POST', '/channels/full/entries', { body: data }), 201);
  const operations = Array.from({ length: 300 }, () => ({ op: 'create', data }));
  const seconds = await cpuSecondsOf(async () => {
    const answer = await visitor.rest<{ results: { status: number; error?: { code: string } }[] }>(
      ...(['POST', '/channels/full/entries/bulk', { body: { operations } }] as const),
    );
    const codes = answer.body.results.map(({ status, error }) => error?.code ?? status);
    expect(codes.slice(0, 3)).toEqual([201, 201, 'too_complex']);
    expect(codes.at(-1)).toBe('too_complex');
  });
  expect(seconds).toBeLessThan(3);
  const create = (slug: string) =>
    `${slug}: createEntry(channel: "full", input: { slug: "${slug}", fields: $data }) { id }`;
  const thrice = `mutation ($data: JSONObject!) { ${create('a')} ${create('b')} ${create('c')} }`;
  const { errors } = await visitor.gql(thrice, { data });
  expect(errors).toMatchObject([{ path: ['c'], extensions: { code: 'TOO_COMPLEX' } }]);
});

test('entries that were stored under other fields are checked when read, as many as one request may', async () => {
  const channel = await buildChannel(db, site.id, { id: 'outdated' });
  for (let at = 0; at < 10; at += 1) await buildEntry(db, channel, { slug: `e${at}`, data: { title: text, f0: text } });
  const { fields } = await buildChannel(db, site.id, { id: 'later', fields: fieldsOf(large) });
  const data = { fields: fields ?? [], fieldsVersion: 2, derivedVersion: 2 };
  await db.channel.update({ where: { siteId_id: { siteId: site.id, id: 'outdated' } }, data });
  expect((await visitor.rest('GET', '/channels/outdated/entries?per_page=2')).status).toBe(200);
  expectProblem(await visitor.rest('GET', '/channels/outdated/entries'), 'too_complex');
});

// Ways to learn what may not be read, or to fail the service, that a review tried: each once.
import { expect, test } from '@jest/globals';
import { as, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';
import { startWatchedApp } from '../../support/statements.ts';

const app = await suiteApp();

const path = '/channels/things/entries';

test('a caller that may update and not read cannot verify a guess by the version', async () => {
  const { db, site, channel } = await buildScene(app, { id: 'things', readScope: 'none', updateScope: 'shared' });
  const { session } = await buildCustomer(db, site.id);
  const caller = as(app, { token: site.public, session });
  const { id } = await buildEntry(db, channel, { data: { secret: 'x' }, owner: 'somebody' });
  const guess = async (secret: string): Promise<unknown> => {
    const operations = [
      { op: 'update', id, data: { secret } },
      { op: 'update', id, if_match: '"1"', data: {} },
      { op: 'update', id, data: { _nope: 1 } },
    ];
    const answer: RestAnswer<{ results: { status: number }[] }> = await caller.rest('POST', `${path}/bulk`, {
      body: { atomic: true, operations },
    });
    return answer.body.results.map(({ status }) => status);
  };
  expect(await guess('x')).toEqual(await guess('y'));
  const before = expectEntry(await caller.rest('PATCH', `${path}/${id}`, { body: { secret: 'x' } }));
  const after = expectEntry(await caller.rest('PATCH', `${path}/${id}`, { body: { secret: 'x' } }));
  expect(after.updated_at).not.toBe(before.updated_at);
});

test('a write that the channel refuses does not load a hidden entry, whose size would show in the time', async () => {
  const watched = await startWatchedApp();
  try {
    const { db, channel, visitor } = await buildScene(watched, { id: 'things', readScope: 'none' });
    const { id } = await buildEntry(db, channel, { data: { text: 'x'.repeat(500_000) } });
    for (const [method, more] of [
      ['DELETE', {}],
      ['PATCH', { body: {} }],
    ] as const) {
      watched.statements();
      expectProblem(await visitor.rest(method, `${path}/${id}`, more), 'not_found');
      const reads = watched.statements().filter((statement) => statement.includes('FROM entries'));
      expect([method, reads]).toEqual([method, [expect.stringContaining('e.read_grant')]]);
    }
  } finally {
    await watched.close();
  }
});

test('an entry whose title is no text has none, also in filters; a field may be named `constructor`', async () => {
  const { db, site, channel: free, visitor } = await buildScene(app, { id: 'free' });
  await buildEntry(db, free, { data: { title: { a: 1 } } });
  const fields = [{ name: 'constructor', type: 'integer' as const, indexed: true }];
  const odd = await buildChannel(db, site.id, { id: 'odd', fields });
  await buildEntry(db, odd, { data: {} });
  for (const query of [
    'free/entries?title_field_value.exists=true',
    'free/entries?title_field_value.contains=a',
    'odd/entries?constructor.gt=1',
    'odd/entries?constructor.exists=true',
  ]) {
    expect([query, (await visitor.rest('GET', `/channels/${query}`)).text]).toEqual([query, '[]']);
  }
});

test('an update checks only the fields that it sets, even if another stored value is taken', async () => {
  const fields = [
    { name: 'moment', type: 'string' as const, unique: true },
    { name: 'title', type: 'string' as const },
  ];
  const { master } = await buildScene(app, { id: 'things', fields });
  const ids: string[] = [];
  for (const moment of ['2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00+01:00']) {
    ids.push(expectEntry(await master.rest('POST', path, { body: { moment } }), 201).id);
  }
  const retyped = 'fields: [{ name: "moment", type: DATETIME, unique: true }, { name: "title", type: STRING }]';
  await master.gql(`mutation { updateChannel(id: "things", input: { ${retyped} }) { id } }`);
  for (const id of ids) expectEntry(await master.rest('PATCH', `${path}/${id}`, { body: { title: 'x' } }));
  expectProblem(await master.rest('POST', path, { body: { moment: '2026-01-01T00:00:00Z' } }), 'conflict', ['moment']);
});

test('a rebuild waits for a locked entry, and takes few large entries at a time', async () => {
  const { db, site, channel, master } = await buildScene(app, {
    id: 'things',
    fields: [{ name: 'text', type: 'text' }],
  });
  for (let at = 0; at < 12; at += 1) await buildEntry(db, channel, { data: { text: `${at} ${'x'.repeat(900_000)}` } });
  const fields = 'fields: [{ name: "text", type: STRING }]';
  const { errors } = await master.gql(`mutation { updateChannel(id: "things", input: { ${fields} }) { id } }`);
  expect(errors).toBeUndefined();
  expect((await master.rest('GET', `${path}?text.exists=true`)).text).toBe('[]');
  const after = await db.channel.findUniqueOrThrow({ where: { siteId_id: { siteId: site.id, id: 'things' } } });
  expect(after.derivedVersion).toBe(after.fieldsVersion);
});

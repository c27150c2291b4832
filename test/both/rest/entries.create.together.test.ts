// Creates that come at the same time are stored by one call (src/entries/joinCreates.ts): each has the answer that it would
// have had alone.
import { expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildSite } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/things/entries';
const fields = [
  { name: 'title', type: 'string' },
  { name: 'code', type: 'string', unique: true },
  { name: 'year', type: 'integer', indexed: true },
  { name: 'when', type: 'datetime' },
];

async function buildMaster(): Promise<Caller> {
  const { master } = await buildSite(app.database.prisma);
  const caller = as(app, { token: master });
  const answer = await caller.rest('POST', '/channels', { body: { id: 'things', publishable: true, fields } });
  expect(answer.status).toBe(201);
  return caller;
}

const createAll = (caller: Caller, bodies: readonly object[]) =>
  Promise.all(bodies.map((body) => caller.rest('POST', path, { body })));

test('each is stored as it was sent, found by its values, and recorded', async () => {
  const master = await buildMaster();
  const bodies = Array.from({ length: 12 }, (_, number) => ({
    title: number % 3 === 0 ? null : `Two\nlines ${number}`,
    code: `c${number}`,
    year: 2000 + number,
    _status: number % 2 === 0 ? 'published' : 'draft',
    _acl: number % 4 === 0 ? { users: { read: true } } : {},
    _owner: number % 5 === 0 ? 'ann' : null,
  }));
  const answers = await createAll(master, bodies);
  for (const [index, answer] of answers.entries()) {
    const entry = expectEntry(answer, 201);
    expect(entry).toMatchObject(bodies[index] ?? {});
    expect((await master.rest('GET', `${path}/${entry.id}`)).body).toEqual(entry);
    const found = await master.rest<{ id: string }[]>('GET', `${path}?year=${bodies[index]?.year}`);
    expect(found.body.map(({ id }) => id)).toEqual([entry.id]);
  }
  const sorted = await master.rest<{ year: number }[]>('GET', `${path}?sort=year&per_page=50`);
  expect(sorted.body.map(({ year }) => year)).toEqual(bodies.map(({ year }) => year));
  const changes = await master.rest<{ changes: { type: string }[] }>('GET', '/changes?limit=100');
  expect(changes.body.changes.filter(({ type }) => type === 'entry.created')).toHaveLength(12);
});

test('those of one title have slugs of their own', async () => {
  const answers = await createAll(
    await buildMaster(),
    Array.from({ length: 16 }, () => ({ title: 'Same' })),
  );
  const slugs = answers.map((answer) => expectEntry(answer, 201).slug);
  expect(new Set(slugs).size).toBe(16);
  expect(slugs).toContain('same');
});

test('of those that claim one unique value, one has it; the others fail alone', async () => {
  const master = await buildMaster();
  const claims = [{ code: 'a' }, { code: 'a' }, { code: 'b' }, { code: 'a' }, { title: 'without' }];
  const answers = await createAll(master, claims);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(3);
  expect([statuses[2], statuses[4]]).toEqual([201, 201]);
  for (const refused of answers.filter(({ status }) => status !== 201)) expectProblem(refused, 'conflict', ['code']);
});

test('what is invalid is refused, and the others are stored', async () => {
  const answers = await createAll(await buildMaster(), [{ title: 'a' }, { year: 'x' }, { title: 'b' }, { nothing: 1 }]);
  expect(answers.map(({ status }) => status)).toEqual([201, 422, 201, 422]);
});

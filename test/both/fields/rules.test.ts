// The rules of fields (docs/contract.md §14.6), over the wire: what a channel takes, and what a field is to each caller.
import { expect, test } from '@jest/globals';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildCustomer, buildEntry } from '../../support/build.ts';
import { buildHolder, buildMember, buildRole } from '../../support/members.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();
const at = '/channels/articles/entries';

const title = { name: 'title', type: 'string' } as const;
const open = { createScope: 'public', updateScope: 'public' } as const;

function sceneWith(...fields: Partial<FieldDefinition>[]): Promise<Scene> {
  return buildScene(app, { ...open, fields: [title, ...fields] });
}

async function customer({ db, site }: Scene, id: string, roles: string[] = []): Promise<Caller> {
  const { session } = await buildCustomer(db, site.id, { id, roles });
  return as(app, { token: site.public, session });
}

interface Problem {
  readonly errors: readonly { field: string; code: string; message: string }[];
}

const secret = (rules: object): object => ({ name: 'secret', type: 'string', ...rules });
const refusals: [string, object, string][] = [
  ['an unknown key', secret({ read: ['everyone'] }), 'invalid_rule'],
  ['owner in read', secret({ read: ['owner'] }), 'invalid_rule'],
  ['an empty role', secret({ read: ['role:'] }), 'invalid_rule'],
  ['51 keys', secret({ read: Array.from({ length: 51 }, (_none, number) => `role:r${number}`) }), 'invalid_rule'],
  ['a role of members that there is not', secret({ write: ['members:nobody'] }), 'invalid_rule'],
  ['a read rule for the title field', { ...title, read: [] }, 'invalid_rule'],
  ['required without a default', secret({ write: ['users'], required: true }), 'invalid_rule'],
  ['unique with a default', secret({ read: ['users'], unique: true, default: 'x' }), 'invalid_rule'],
  ['unique and required', secret({ read: ['users'], unique: true, required: true, default: 'x' }), 'invalid_rule'],
  ['unique with owner in write', secret({ read: ['*'], write: ['owner'], unique: true }), 'invalid_rule'],
  [
    'unique with a writer who does not read',
    secret({ read: ['role:a'], write: ['users'], unique: true }),
    'invalid_rule',
  ],
  ['a rule that is no list', secret({ read: '*' }), 'invalid'],
];

test('a channel refuses rules that do not fit, at both doors and in both ways of writing it', async () => {
  const { master } = await sceneWith();
  for (const [name, field, code] of refusals) {
    const made = await master.rest<Problem>('POST', '/channels', { body: { id: 'other', fields: [field] } });
    expect([name, made.status, made.body.errors[0]?.code]).toEqual([name, 422, code]);
    const changed = await master.rest<Problem>('PATCH', '/channels/articles', { body: { fields: [field] } });
    expect([name, changed.status, changed.body.errors[0]?.code]).toEqual([name, 422, code]);
  }
  const taken = [
    secret({ unique: true, read: ['users'], write: ['role:a'] }),
    { name: 'kept', type: 'string', required: true, default: 'x', read: [], write: ['owner', 'members:editor'] },
  ];
  const { status } = await master.rest('PATCH', '/channels/articles', { body: { fields: [title, ...taken] } });
  expect(status).toBe(200);
});

test('a channel shows the rules where its access list is, and can be sent back as it was read', async () => {
  const scene = await sceneWith({ name: 'secret', type: 'string', read: ['role:staff'], write: ['users'] });
  const fieldsFor = async (caller: Caller): Promise<unknown[]> =>
    (await caller.rest<{ fields: { name: string }[] }>('GET', '/channels/articles')).body.fields.slice(1);
  const rules = { read: ['role:staff'], write: ['users'] };
  expect(await fieldsFor(scene.master)).toMatchObject([{ ...rules, readable: true, writable: true }]);
  const manager = await buildHolder(app, scene, ['channels']);
  expect(await fieldsFor(manager)).toMatchObject([{ ...rules, readable: false, writable: false }]);
  expect(await fieldsFor(await buildMember(app, scene, ['editor']))).toEqual([]);
  expect(await fieldsFor(scene.visitor)).toEqual([]);
  const [field] = await fieldsFor(await customer(scene, 'ada'));
  expect(field).toMatchObject({ name: 'secret', readable: false, writable: true });
  expect(field).not.toHaveProperty('read');
  const { body } = await manager.rest<{ fields: object[] }>('GET', '/channels/articles');
  const before = await scene.db.channel.findFirstOrThrow({ where: { siteId: scene.site.id } });
  expect((await manager.rest('PATCH', '/channels/articles', { body: { fields: body.fields } })).status).toBe(200);
  const after = await scene.db.channel.findFirstOrThrow({ where: { siteId: scene.site.id } });
  expect([after.version, after.fields]).toEqual([before.version, before.fields]);
});

test('a field that a caller may neither read nor write is unknown, word for word as one that nobody declared', async () => {
  const scene = await sceneWith({ name: 'secret', type: 'string', read: ['role:staff'], indexed: true });
  await buildEntry(scene.db, scene.channel, { slug: 'one', data: { title: 'One', secret: 'platinum' } });
  const ada = await customer(scene, 'ada', ['editor']);
  const staff = await customer(scene, 'staff', ['staff']);
  const paths = (name: string): string[] => [
    `${at}?${name}=platinum`,
    `${at}/count?${name}.ne=x`,
    `${at}?sort=${name}`,
    `${at}?only=${name}`,
    `${at}?include=${name}`,
    `${at}?where={"${name}":"x"}`,
  ];
  for (const caller of [scene.visitor, ada, await buildMember(app, scene, ['editor'])]) {
    expect((await caller.rest('GET', `${at}/one`)).body).not.toHaveProperty('secret');
    for (const [index, path] of paths('secret').entries()) {
      const [hidden, unknown] = [
        await caller.rest('GET', path),
        await caller.rest('GET', paths('zqxjkv')[index] ?? ''),
      ];
      expect([path, hidden.status, hidden.body['detail']]).toEqual([
        path,
        400,
        String(unknown.body['detail']).replaceAll('zqxjkv', 'secret'),
      ]);
    }
    const [sent, unknown] = await Promise.all(
      ['secret', 'zqxjkv'].map((name) => caller.rest<Problem>('POST', at, { body: { title: 'x', [name]: 'y' } })),
    );
    if (sent?.status !== 403) expect(sent?.body.errors).toEqual([{ ...unknown?.body.errors[0], field: 'secret' }]);
    expect((await caller.rest('GET', `${at}?q=platinum`)).body).toEqual([]);
  }
  expect((await staff.rest('GET', `${at}?secret=platinum`)).body).toMatchObject([{ secret: 'platinum' }]);
  expect((await staff.rest('GET', `${at}?q=platinum`)).body).toEqual([]);
});

test('a field that a caller may not write takes the value that it reads, and no other', async () => {
  const scene = await sceneWith(
    { name: 'stamp', type: 'datetime', write: [], default: '2026-01-01T00:00:00.000Z' },
    { name: 'tags', type: 'strings', write: ['role:staff'] },
  );
  const patch = (body: object): Promise<{ status: number; body: Problem & { stamp?: string } }> =>
    scene.visitor.rest<Problem & { stamp?: string }>('PATCH', `${at}/one`, { body });
  const made = await scene.visitor.rest<{ stamp: string }>('POST', at, {
    body: { title: 'One', slug: 'one', stamp: null },
  });
  expect([made.status, made.body.stamp]).toEqual([201, '2026-01-01T00:00:00.000Z']);
  for (const stamp of ['2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00+01:00']) {
    expect((await patch({ stamp, tags: [] })).status).toBe(200);
    expect((await scene.visitor.rest('POST', at, { body: { title: 'x', stamp } })).status).toBe(201);
  }
  for (const body of [{ stamp: null }, { stamp: 'no time' }, { tags: ['a'] }]) {
    const { status, body: problem } = await patch(body);
    expect([status, problem.errors.map(({ code }) => code)]).toEqual([422, ['read_only']]);
  }
  expect((await scene.visitor.rest('GET', `${at}/one?only=_version`)).body).toMatchObject({ _version: 1 });
  expect((await scene.master.rest('PATCH', `${at}/one`, { body: { tags: ['a'] } })).status).toBe(200);
  const checked = await scene.master.rest('PATCH', `${at}/one?use_acl=true`, { body: { tags: ['b'] } });
  expect(checked.status).toBe(422);
});

test('a field that a caller may write and not read tells nothing of its value, and keeps it for null', async () => {
  const scene = await sceneWith(
    { name: 'wish', type: 'string', read: [], write: ['*'] },
    { name: 'box', type: 'json', read: [], write: ['*'] },
  );
  const send = async (body: object, headers = {}): Promise<[number, unknown]> => {
    const { status, body: answer } = await scene.visitor.rest('PATCH', `${at}/one`, {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    expect(answer).not.toHaveProperty('wish');
    return [status, (await scene.visitor.rest('GET', `${at}/one?only=_version`)).body['_version']];
  };
  const { body } = await scene.visitor.rest('POST', at, { body: { title: 'One', slug: 'one', wish: 'gold' } });
  expect(body).not.toHaveProperty('wish');
  expect(await send({ wish: 'gold' })).toEqual([200, 2]);
  expect(await send({ wish: null })).toEqual([200, 3]);
  expect(await send({ wish: [] })).toEqual([200, 4]);
  expect(await send({ title: 'One' })).toEqual([200, 4]);
  expect(await send({ box: { a: 1 } }, { 'Content-Type': 'application/merge-patch+json' })).toEqual([403, 4]);
  expect((await scene.master.rest('GET', `${at}/one`)).body).toMatchObject({ wish: 'gold', box: null });
  expect((await scene.visitor.rest('GET', `${at}?wish=gold`)).status).toBe(400);
});

test('the bounds of a list of references that a caller may not read hold for what it sends, whatever is stored', async () => {
  const wishes = { name: 'wishes', type: 'references', channel: 'articles', min: 2, read: [], write: ['*'] } as const;
  const scene = await sceneWith(wishes);
  for (const slug of ['a', 'b', 'gone']) await buildEntry(scene.db, scene.channel, { slug, data: { title: slug } });
  for (const other of ['gone', 'b']) {
    const slug = `with-${other}`;
    expect((await scene.master.rest('POST', at, { body: { title: slug, slug, wishes: ['a', other] } })).status).toBe(
      201,
    );
  }
  expect((await scene.master.rest('DELETE', `${at}/gone`)).status).toBe(204);
  const answers = await Promise.all(
    ['with-gone', 'with-b'].map((slug) =>
      scene.visitor.rest<Problem>('PATCH', `${at}/${slug}`, { body: { wishes: ['a'] } }),
    ),
  );
  const refused = [{ field: 'wishes', code: 'invalid', message: 'must have at least 2 items' }];
  expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([
    [422, refused],
    [422, refused],
  ]);
});

test('an update of an entry that waits for its rebuild is not refused for a value that its caller may not read', async () => {
  const code = { name: 'code', type: 'string', unique: true, read: ['role:staff'] } as const;
  const scene = await sceneWith(code);
  expect((await scene.master.rest('POST', at, { body: { title: 'One', code: 'gold' } })).status).toBe(201);
  const { id } = await buildEntry(scene.db, scene.channel, { slug: 'two', data: { title: 'Two' } });
  // As a rebuild leaves the second of two equal values, and as the channel's next change leaves it.
  const outdated = { data: { title: 'Two', code: 'gold' }, fieldsVersion: 0 };
  await scene.db.entry.updateMany({ where: { siteId: scene.site.id, id }, data: outdated });
  expect((await scene.visitor.rest('PATCH', `${at}/two`, { body: { title: 'Changed' } })).status).toBe(200);
  expect((await scene.master.rest('GET', `${at}/two`)).body).toMatchObject({ title: 'Changed', code: 'gold' });
  const staff = await customer(scene, 'staff', ['staff']);
  const taken = await staff.rest<Problem>('PATCH', `${at}/two`, { body: { code: 'gold' } });
  expect(taken.status).toBe(200);
  const other = await staff.rest<Problem>('POST', at, { body: { title: 'x', code: 'gold' } });
  expect([other.status, other.body.errors[0]?.field]).toEqual([409, 'code']);
});

test('the patterns of values that its caller may not read cost a write of entries that wait for their rebuild nothing', async () => {
  const scene = await sceneWith(
    { name: 'secret', type: 'string', pattern: '(?:a?b?){200}c', read: ['role:staff'] },
    { name: 'others', type: 'references', channel: 'articles' },
  );
  const { db, site, channel, visitor } = scene;
  const slugs = Array.from({ length: 60 }, (_none, number) => `entry-${number}`);
  for (const slug of slugs) await buildEntry(db, channel, { slug, data: { title: slug, secret: 'a'.repeat(250) } });
  await db.entry.updateMany({ where: { siteId: site.id }, data: { fieldsVersion: 0 } });
  const operations = slugs.map((id) => ({ op: 'update', id, data: { title: 'Changed', others: [] } }));
  const { body } = await visitor.rest<{ results: { status: number }[] }>('POST', `${at}/bulk`, {
    body: { operations },
  });
  expect(body.results.map(({ status }) => status)).toEqual(slugs.map(() => 200));
});

test('a create by the site’s schema sends no default of a field that its caller may not read', async () => {
  const rules = { required: true, default: 'x', read: [], write: ['owner'] };
  const scene = await sceneWith({ name: 'note', type: 'string', ...rules });
  const user = await buildMember(app, scene, []);
  const { data, errors } = await user.gql(
    'mutation { createArticles(input: { title: "One" }) { title } }',
    {},
    { path: '/graphql/site' },
  );
  expect([errors, data]).toEqual([undefined, { createArticles: { title: 'One' } }]);
});

test('an owner writes a field in its own entries: in those that it makes, and in no other’s', async () => {
  const scene = await sceneWith({ name: 'note', type: 'string', write: ['owner'] });
  await buildEntry(scene.db, scene.channel, { slug: 'nobodys', data: { title: 'x' } });
  const ada = await customer(scene, 'ada');
  const author = await buildMember(app, scene, ['author']);
  for (const [caller, slug] of [
    [ada, 'adas'],
    [author, 'authors'],
  ] as const) {
    expect((await caller.rest('POST', at, { body: { title: slug, slug, note: 'mine' } })).status).toBe(201);
    expect((await caller.rest('PATCH', `${at}/${slug}`, { body: { note: 'changed' } })).status).toBe(200);
    const other = await caller.rest<Problem>('PATCH', `${at}/nobodys`, { body: { note: 'y' } });
    expect([other.status, other.body.errors[0]?.code]).toEqual([422, 'read_only']);
  }
  expect((await scene.visitor.rest('POST', at, { body: { title: 'x', note: 'y' } })).status).toBe(422);
  expect((await ada.rest('PATCH', `${at}/authors`, { body: { note: 'y' } })).status).toBe(422);
});

test('with a customer’s session the keys of members match nobody, and those of customers no member', async () => {
  const scene = await sceneWith(
    { name: 'ofmembers', type: 'string', read: ['members'] },
    { name: 'ofeditors', type: 'string', read: ['members:editor'] },
    { name: 'ofusers', type: 'string', read: ['users'] },
  );
  await buildEntry(scene.db, scene.channel, { slug: 'one', data: { title: 'One' } });
  const { session } = await buildCustomer(scene.db, scene.site.id);
  const editor = await buildMember(app, scene, ['editor']);
  const shown = async (caller: Caller, query = ''): Promise<string[]> =>
    Object.keys((await caller.rest('GET', `${at}/one${query}`)).body).filter((name) => name.startsWith('of'));
  expect(await shown(editor)).toEqual(['ofmembers', 'ofeditors']);
  expect(await shown(await buildMember(app, scene, []))).toEqual(['ofmembers']);
  expect(await shown(as(app, { token: editor.token, site: scene.site.id, session }))).toEqual(['ofusers']);
  expect(await shown(scene.visitor)).toEqual([]);
  expect(await shown(scene.master)).toHaveLength(3);
  expect(await shown(scene.master, '?use_acl=true')).toEqual([]);
  expect(await shown(scene.master, `?as=member:${editor.user}`)).toEqual(['ofmembers', 'ofeditors']);
  const viewer = await buildMember(app, scene, ['viewer']);
  expect(await shown(viewer, `?as=member:${editor.user}`)).toEqual(['ofmembers']);
  const explained = await scene.master.rest('GET', `${at}/one/access?as=member:${editor.user}`);
  expect(explained.body['fields']).toEqual([
    { name: 'ofmembers', read: { allowed: true, key: 'members' }, write: { allowed: true, key: null } },
    { name: 'ofeditors', read: { allowed: true, key: 'members:editor' }, write: { allowed: true, key: null } },
    { name: 'ofusers', read: { allowed: false, key: null }, write: { allowed: false, key: null } },
  ]);
});

test('a role that a rule names is not deleted, and only its holders and managers of channels give it', async () => {
  const scene = await sceneWith();
  await buildRole(scene, 'press', ['read']);
  const fields = [title, { name: 'secret', type: 'string', read: ['members:press'] }];
  expect((await scene.master.rest('PATCH', '/channels/articles', { body: { fields } })).status).toBe(200);
  const deleted = await scene.master.rest<Problem>('DELETE', '/roles/press?confirm=press');
  expect([deleted.status, deleted.body.errors[0]?.code]).toEqual([409, 'in_use']);
  const { user } = await buildMember(app, scene, []);
  await buildRole(scene, 'inviter', ['members', 'read']);
  await buildRole(scene, 'manager', ['members', 'read', 'channels']);
  const give = async (roles: string[]): Promise<unknown[]> => {
    const giver = await buildMember(app, scene, roles);
    const { status, body } = await giver.rest('PATCH', `/members/${user}`, { body: { roles: ['press'] } });
    const invitation = { email: `${roles.join('-')}@example.com`, roles: ['press'] };
    const invited = await giver.rest('POST', '/invitations', { body: invitation });
    return [status, invited.status, body['missing'], invited.body['missing']];
  };
  expect(await give(['inviter'])).toEqual([403, 403, 'channels', 'channels']);
  expect(await give(['inviter', 'press'])).toEqual([200, 201, undefined, undefined]);
  expect(await give(['manager'])).toEqual([200, 201, undefined, undefined]);
  await scene.master.rest('PATCH', '/channels/articles', { body: { fields: [title] } });
  expect((await scene.master.rest('DELETE', '/roles/press?confirm=press')).status).toBe(204);
});

test('a channel is not left without fields while one has a read rule, unless that is confirmed', async () => {
  const { master, visitor, db, channel } = await sceneWith({ name: 'secret', type: 'string', read: [] });
  await buildEntry(db, channel, { slug: 'one', data: { title: 'One', secret: 'gold' } });
  const refused = await master.rest<Problem>('PATCH', '/channels/articles', { body: { fields: [] } });
  expect([refused.status, refused.body.errors[0]?.code]).toEqual([409, 'hidden_fields']);
  expect((await visitor.rest('GET', `${at}/one`)).body).not.toHaveProperty('secret');
  expect((await master.rest('PATCH', '/channels/articles?confirm=articles', { body: { fields: [] } })).status).toBe(
    200,
  );
  expect((await visitor.rest('GET', `${at}/one`)).body).toMatchObject({ secret: 'gold' });
});

test('the descriptions have the fields that exist for the caller, and inputs those that it may write', async () => {
  const scene = await sceneWith(
    { name: 'hidden', type: 'string', read: [] },
    { name: 'wish', type: 'string', read: [], write: ['*'] },
    { name: 'stamp', type: 'string', write: [] },
    { name: 'press', type: 'string', read: ['members:press'] },
  );
  await buildRole(scene, 'press', ['read']);
  const typesFor = async (caller: Caller): Promise<unknown[]> => {
    const names = ['Articles', 'ArticlesInput', 'ArticlesWhere'];
    const parts = names.map(
      (name, index) => `t${index}: __type(name: "${name}") { fields { name } inputFields { name } }`,
    );
    const { data } = await caller.gql<
      Record<string, { fields: { name: string }[] | null; inputFields: { name: string }[] | null }>
    >(`{ ${parts.join(' ')} }`, {}, { path: '/graphql/site' });
    const own = ['hidden', 'wish', 'stamp', 'press'];
    return Object.values(data).map(({ fields, inputFields }) =>
      (fields ?? inputFields ?? []).map(({ name }) => name).filter((name) => own.includes(name)),
    );
  };
  const [press, plain] = [await buildMember(app, scene, ['press']), await buildMember(app, scene, ['viewer'])];
  for (const _again of [1, 2]) {
    expect(await typesFor(plain)).toEqual([['stamp'], ['wish'], ['stamp']]);
    expect(await typesFor(press)).toEqual([
      ['stamp', 'press'],
      ['wish', 'press'],
      ['stamp', 'press'],
    ]);
    expect(await typesFor(scene.master)).toEqual([
      ['hidden', 'wish', 'stamp', 'press'],
      ['hidden', 'wish', 'stamp', 'press'],
      ['hidden', 'wish', 'stamp', 'press'],
    ]);
  }
  const documents = await Promise.all(
    [plain, press, scene.master].map(async (caller) => (await caller.rest('GET', '/openapi.json')).text),
  );
  expect(documents.map((text) => ['hidden', 'press', 'wish'].filter((name) => text.includes(`"${name}"`)))).toEqual([
    ['wish'],
    ['press', 'wish'],
    ['hidden', 'press', 'wish'],
  ]);
});

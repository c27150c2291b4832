// Writes of the console: the members that it sends, the merge of two changes, and the actors that a change of an access
// list concerns. Without a browser.
import { describe, expect, test } from '@jest/globals';
import type { Channel, Field, JsonObject } from '../../../console/app/api/types.ts';
import { changedAccess, readAccess } from '../../../console/app/channels/access.ts';
import { filterables } from '../../../console/app/entries/query.ts';
import { compareAccess } from '../../../console/app/entry/acl.ts';
import {
  changedMembers,
  compare,
  isSame,
  noDraft,
  resolve,
  withMembers,
  withoutMembers,
  withText,
} from '../../../console/app/entry/draft.ts';
import { Drafts } from '../../../console/app/entry/kept.ts';
import { requestOfSave } from '../../../console/app/entry/save.ts';
import { formFields } from '../../../console/app/fields/guess.ts';
import { parseNumber, readList, readObject, readText, showPart } from '../../../console/app/fields/values.ts';
import { changedCustomer, toForm } from '../../../console/app/people/customerForm.ts';
import { formatRoles, parseRoles } from '../../../console/app/people/roles.ts';

const stub = (id: string, title: string): JsonObject => ({
  id,
  channel: 'people',
  slug: 's',
  title_field_value: title,
});

test('values are equal by their content, and references by their entry', () => {
  expect(isSame({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  expect(isSame({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  expect(isSame({ a: 1 }, { b: 1 })).toBe(false);
  expect(isSame([1, 2], [2, 1])).toBe(false);
  expect(isSame([], null)).toBe(false);
  expect(isSame([], {})).toBe(false);
  expect(isSame(stub('1', 'Old'), stub('1', 'New'))).toBe(true);
  expect(isSame([stub('1', 'A')], [stub('2', 'A')])).toBe(false);
});

test('a save sends only the members that differ', () => {
  expect(changedMembers({ title: 'A', tags: ['x'] }, { title: 'A', tags: ['x', 'y'], note: null, year: 1 })).toEqual({
    ...{ tags: ['x', 'y'], year: 1 },
  });
});

describe('the request that saves an entry', () => {
  const place = { channel: 'news', id: '1' };
  const at = '/channels/news/entries/1';
  const changes = { title: 'B' };
  const later = '2990-01-01T00:00:00Z';

  test('creates a new one, and updates one of a channel that is not publishable', () => {
    const made = requestOfSave({ channel: 'news', id: null }, changes, true, null);
    expect(made).toEqual({ method: 'POST', to: '/channels/news/entries', body: changes });
    expect(requestOfSave(place, changes, true, null)).toEqual({ method: 'PATCH', to: at, body: changes });
  });

  test('is an update with a master token, whatever it sets', () => {
    const body = { ...changes, _status: 'published', _publish_at: null };
    expect(requestOfSave(place, body, false, 'draft')).toEqual({ method: 'PATCH', to: at, body });
  });

  test('of a member updates a draft, and keeps public what is published or scheduled', () => {
    expect(requestOfSave(place, changes, true, 'draft')).toEqual({ method: 'PATCH', to: at, body: changes });
    for (const before of ['published', 'scheduled'] as const) {
      const expected = { method: 'POST', to: `${at}/publish`, body: { entry: changes } };
      expect(requestOfSave(place, changes, true, before)).toEqual(expected);
    }
  });

  test('of a member publishes, schedules and unpublishes by operations of their own', () => {
    const send = (state: JsonObject): unknown => requestOfSave(place, state, true, 'published');
    const publish = { method: 'POST', to: `${at}/publish` };
    expect(send({ _status: 'published', _publish_at: null })).toEqual({ ...publish, body: { publish_at: null } });
    expect(send({ _status: 'scheduled', _publish_at: later })).toEqual({ ...publish, body: { publish_at: later } });
    expect(send({ _status: 'draft', _publish_at: null })).toEqual({ method: 'POST', to: `${at}/unpublish`, body: {} });
  });
});

test('two concurrent changes are compared with their common base', () => {
  const before = { id: '1', title: 'A', year: 1, body: 'old', updated_at: 't1' };
  const theirs = { id: '1', title: 'B', year: 2, body: 'new', updated_at: 't2' };
  const { clashes, taken } = compare(before, theirs, { title: 'C', year: 2, note: 'mine' });
  expect(clashes).toEqual([{ name: 'title', before: 'A', theirs: 'B', yours: 'C' }]);
  expect(taken).toEqual([{ name: 'body', before: 'old', theirs: 'new' }]);
  expect(resolve({ title: 'C', note: 'mine' }, { title: 'theirs' })).toEqual({ note: 'mine' });
  expect(resolve({ title: 'C', note: 'mine' }, { title: 'yours' })).toEqual({ title: 'C', note: 'mine' });
});

test('a draft keeps the stored value from the time at which each member was first edited', () => {
  const first = withMembers({ title: 'A', body: 'old' }, noDraft, { title: 'B' });
  // Others change both; the title is typed on, and the body begun.
  const moved = { title: 'X', body: 'new' };
  const second = withMembers(moved, first, { title: 'BC', body: 'mine', note: '' });
  expect(second).toEqual({
    values: { title: 'BC', body: 'mine', note: '' },
    bases: { title: 'A', body: 'new', note: null },
  });
  const before = { ...moved, ...second.bases };
  expect(compare(before, moved, second.values).clashes.map(({ name }) => name)).toEqual(['title']);
  expect(withoutMembers(second, ['title', 'note'])).toEqual({ values: { body: 'mine' }, bases: { body: 'new' } });
});

test('editing JSON as text removes members that the text no longer has', () => {
  const entry = { title: 'A', year: 1 };
  const draft = withMembers(entry, noDraft, { owner: 'ada', year: 2 });
  const first = withText(entry, draft, ['title', 'year'], { title: 'A', year: 2, ti: 1 });
  expect(first.values).toEqual({ owner: 'ada', year: 2, ti: 1 });
  const second = withText(entry, first, ['title', 'year', 'ti'], { title: 'B', tint: null });
  // What the text never had is not its own; null for a member that is not stored changes nothing.
  expect(second).toEqual({ values: { owner: 'ada', title: 'B' }, bases: { owner: null, title: 'A' } });
});

test('a save of a channel’s access or of a customer sends only changed members', () => {
  const acl = { read: 'public', create: 'none', update: 'private', delete: 'none' } as const;
  const access = readAccess({ acl, publishable: true });
  expect(changedAccess(access, access)).toEqual({});
  expect(changedAccess(access, { acl: { ...acl, read: 'none' }, publishable: false })).toEqual({
    ...{ acl: { read: 'none' }, publishable: false },
  });
  const none = { read: 'none', create: 'none', update: 'none', delete: 'none' };
  expect(readAccess({ publishable: false })).toEqual({ acl: none, publishable: false });
  const customer = { id: 'c', email: null, name: 'C', roles: ['r,s', 't'], created_at: '' };
  const form = toForm(customer);
  expect(form.roles).toBe('"r,s", t');
  expect(changedCustomer(form, form)).toEqual({});
  expect(changedCustomer(form, { ...form, name: '', email: 'c@d.e' })).toEqual({ name: null, email: 'c@d.e' });
  expect(changedCustomer(form, { ...form, roles: '"r,s"' })).toEqual({ roles: ['r,s'] });
  expect(changedCustomer(form, { ...form, roles: '"r,s' })).toBeNull();
  const empty = toForm(null);
  expect(changedCustomer(empty, { ...empty, id: 'new', roles: 'a' })).toEqual({ id: 'new', roles: ['a'] });
});

test('roles are parsed from the text of their input', () => {
  for (const roles of [['a', 'b'], ['r,s', 'say "x"', '"y"'], [' x', 'y '], []]) {
    expect(parseRoles(formatRoles(roles))).toEqual(roles);
    expect(parseRoles(formatRoles(roles, ','))).toEqual(roles);
  }
  expect(['', ' , ,', ' a ,"b" , c', 'a"b'].map(parseRoles)).toEqual([[], [], ['a', 'b', 'c'], ['a"b']]);
  expect(['"a', ' "a', '"a"b', 'x, "', '"a""'].map(parseRoles)).toEqual([null, null, null, null, null]);
});

test('a form has the declared fields, or fields inferred from the values, with the title first', () => {
  const free: Channel = { id: 'a', name: 'A', publishable: false, title_field: 'title', fields: [] };
  const entry = { body: 'x'.repeat(90), title: 'A', n: 1, yes: true, tags: ['x'], mixed: [1], deep: {}, none: null };
  expect(formFields(free, entry, Object.keys(entry)).map(({ name, type }) => `${name} ${type}`)).toEqual([
    ...['title string', 'body text', 'n float', 'yes boolean', 'tags strings', 'mixed json', 'deep json', 'none text'],
  ]);
  const declared = [{ name: 'year' } as Field];
  expect(formFields({ ...free, fields: declared }, {}, ['other'])).toEqual(declared);
});

test('a form, a list and its filters leave out what the rules of fields keep from their reader', () => {
  const field = (name: string, readable?: boolean, writable?: boolean): Field =>
    ({
      name,
      type: 'string',
      label: null,
      options: null,
      ...(readable !== undefined && { readable, writable }),
    }) as Field;
  const fields = [field('title'), field('read', true, false), field('set', false, true), field('hidden', false, false)];
  const ruled: Channel = { id: 'a', name: 'A', publishable: false, title_field: 'title', fields };
  const names = (some: readonly { readonly name: string }[]): string[] => some.map(({ name }) => name);
  expect(names(formFields(ruled, {}, []))).toEqual(['title', 'read', 'set']);
  expect(names(filterables(ruled, []).slice(0, 3))).toEqual(['title', 'read', 'slug']);
  expect(formFields({ ...ruled, fields: fields.slice(3) }, { other: 1 }, ['other'])).toEqual([]);
});

test('a text that is no number is sent for the service to refuse', () => {
  expect(['', ' 7 ', '1.', '1e400', 'x'].map(parseNumber)).toEqual([null, 7, 1, '1e400', 'x']);
  expect([readText(1), readList('x'), readObject([1]), showPart(0), showPart(null), showPart({})]).toEqual([
    ...['', [], {}, '0', '', ''],
  ]);
});

const channel = { read: 'public', create: 'none', update: 'private', delete: 'none' } as const;
const none = { acl: {}, owner: null };

test('a change of an access list lists the actors that gain and lose access', () => {
  expect(compareAccess(channel, none, none)).toEqual([]);
  const closed = { acl: { '*': { read: false }, 'role:editor': { read: true } }, owner: null };
  expect(compareAccess(channel, none, closed)).toEqual([
    { who: 'anonymous visitors', gains: [], loses: ['read'] },
    { who: 'signed-in customers whom no key names', gains: [], loses: ['read'] },
  ]);
  expect(compareAccess(channel, closed, none)).toHaveLength(2);
  expect(compareAccess(channel, none, { acl: { ada: { update: true } }, owner: 'bob' })).toEqual([
    { who: 'the customer ada', gains: ['update'], loses: [] },
    { who: 'the customer bob', gains: ['update'], loses: [] },
  ]);
  const isShared = { ...channel, read: 'shared', update: 'none' } as const;
  expect(compareAccess(isShared, none, { acl: { users: { read: false } }, owner: null })).toEqual([
    { who: 'signed-in customers whom no key names', gains: [], loses: ['read'] },
  ]);
});

test('a draft is kept while it differs, and dropped when its entry is deleted', () => {
  const drafts = new Drafts();
  const place = { channel: 'notes', id: '1' };
  const kept = { read: { entry: {}, tag: '"1.x"' }, draft: withMembers({}, noDraft, { title: 'A' }) };
  expect(drafts.begin(place)).toBeUndefined();
  drafts.keep(place, kept);
  drafts.keep({ channel: 'notes', id: null }, kept);
  expect([drafts.size, drafts.begin(place), drafts.find({ channel: 'notes', id: '2' })]).toEqual([2, kept, undefined]);
  drafts.keep(place, null);
  expect(drafts.find(place)).toBeUndefined();
  drafts.keep(place, kept);
  drafts.end(place);
  // The form of it is still there, and has not heard yet.
  drafts.keep(place, kept);
  expect([drafts.size, drafts.find(place)]).toEqual([1, undefined]);
  // It is begun once more.
  drafts.begin(place);
  drafts.keep(place, kept);
  expect(drafts.find(place)).toBe(kept);
});

// Requests of the console, and its words for the answers. Without a browser.
import { expect, test } from '@jest/globals';
import type { Channel, Decision, Explanation, Field, FieldType } from '../../../console/app/api/types.ts';
import { readTag } from '../../../console/app/api/tag.ts';
import { filterables, firstPage, listQuery } from '../../../console/app/entries/query.ts';
import { createEventReader } from '../../../console/app/live/events.ts';
import { formatActor, nameActor, parseActor } from '../../../console/app/preview/preview.ts';
import { nameKey, nameScope, sayDecision, sayVerdict } from '../../../console/app/preview/why.ts';
import { decodeAddress } from '../../../console/app/shell/address.ts';

const field = (name: string, type: FieldType, options: readonly string[] | null = null): Field => ({
  ...{ name, type, options, label: null, hint: null, required: false, unique: false, indexed: false, default: null },
  ...{ channel: null, min: null, max: null, pattern: null, message: null },
});
const channel = (fields: readonly Field[], acl?: Channel['acl']): Channel => ({
  ...{ id: 'films', name: 'Films', publishable: true, title_field: 'title', fields },
  ...(acl && { acl }),
});
const open = { read: 'public', create: 'none', update: 'none', delete: 'none' } as const;

test('server-sent events are parsed from any chunks', () => {
  const read = createEventReader();
  expect(read('retry: 2000\nid: a\n\n')).toEqual([{ id: 'a', event: 'message', data: '' }]);
  expect(read('id: b\nevent: entry.updated\nda')).toEqual([]);
  expect(read('ta: {"x":\ndata: 1}\n')).toEqual([]);
  expect(read('\n:\nid: c\n\n: the service stops\n\n')).toEqual([
    { id: 'b', event: 'entry.updated', data: '{"x":\n1}' },
    { id: 'c', event: 'message', data: '' },
  ]);
});

test('an actor is written in the form of the parameter `as`', () => {
  expect(formatActor('anonymous', 'x')).toBe('anonymous');
  // An id may begin with a space.
  expect(formatActor('customer', ' ada ')).toBe('customer: ada ');
  expect(formatActor('roles', 'editor, , subscriber ')).toBe('roles:editor,subscriber');
  expect(formatActor('roles', '"r,s" , t')).toBe('roles:"r,s",t');
  // The service says what is wrong with it.
  expect(formatActor('roles', '"r,s')).toBe('roles:"r,s');
  expect(parseActor('customer:a:b')).toEqual({ kind: 'customer', name: 'a:b' });
  expect(['anonymous', 'customer:ada', 'roles:', 'roles:a', 'roles:a,b', 'roles:"r,s"'].map(nameActor)).toEqual([
    'an anonymous visitor',
    'the customer ada',
    'a signed-in customer without roles',
    'a signed-in customer with the role a',
    'a signed-in customer with the roles a, b',
    'a signed-in customer with the role "r,s"',
  ]);
});

test('an address is decoded once, or stays as it is if it cannot be decoded', () => {
  expect(['a%2Fb', 'a%252Fb', '100%', '%ff', 'plain'].map(decodeAddress)).toEqual([
    'a/b',
    'a%2Fb',
    null,
    null,
    'plain',
  ]);
});

test('an entity tag that a proxy made weak is sent as a strong one', () => {
  const tags = ['"5.abc"', 'W/"5.abc"', '"W/"'].map((tag) => readTag(new Headers({ ETag: tag })));
  expect([...tags, readTag(new Headers())]).toEqual(['"5.abc"', '"5.abc"', '"W/"', null]);
});

test('the request for a list has the chosen filters, without unfinished ones', () => {
  const filters = [
    { field: 'year', op: 'gte', value: ' 1990 ' },
    { field: 'country', op: 'eq', value: '' },
    { field: 'imdb', op: 'lacks', value: 'ignored' },
    { field: 'title', op: 'has', value: '' },
  ];
  const sort = [
    { id: 'year', desc: true },
    { id: 'title', desc: false },
  ];
  expect(listQuery({ ...firstPage, search: ' sea ', filters, sort, cursors: ['one', 'two'] })).toEqual({
    ...{ per_page: '25', q: 'sea', sort: '-year,title', cursor: 'two' },
    ...{ 'year.gte': '1990', 'imdb.exists': 'false', 'title.exists': 'true' },
  });
  expect(listQuery(firstPage)).toEqual({ per_page: '25' });
});

test('each type of field has the filters that fit it', () => {
  const fields = [field('year', 'integer'), field('tags', 'strings'), field('seen', 'boolean'), field('place', 'geo')];
  const found = new Map(filterables(channel(fields), []).map((each) => [each.name, each]));
  expect(found.get('year')?.operators).toContain('gte');
  expect(found.get('tags')?.operators).toEqual(['eq', 'in', 'nin', 'all', 'has', 'lacks']);
  expect(found.get('seen')?.options).toEqual(['true', 'false']);
  expect(found.get('place')?.operators).toEqual(['has', 'lacks']);
  expect(found.has('_owner')).toBe(false);
  const free = filterables(channel([], open), ['author']).map(({ name }) => name);
  expect(free.slice(0, 2)).toEqual(['author', 'slug']);
  expect(free).toContain('_owner');
});

const allowed: Decision = { allowed: true, decided_by: 'default', key: null, scope: 'public', considered: [] };
const denied: Decision = { allowed: false, decided_by: 'deny', key: 'users', scope: null, considered: [] };
const explain = (read: Decision, publication: Explanation['publication']): Explanation => ({
  ...{ read, publication, create: allowed, update: allowed, delete: allowed, publish: allowed },
});
const time = (iso: string): string => `<${iso}>`;
const visible = { visible: true, since: null, until: null };

test('an explanation of access names the rule that decided', () => {
  expect(sayVerdict('the customer ada', explain(allowed, visible), time)).toBe(
    'The customer ada sees this entry: nothing that binds in the entry’s access list matches, so the channel’s scope ' +
      'decides: public, which is anyone; and publication does not hide it.',
  );
  expect(sayVerdict('ada', explain(denied, visible), time)).toBe(
    'Ada does not see this entry: the entry’s access list denies it to signed-in customers, and no key that matches allows it.',
  );
  expect(sayVerdict('ada', explain(allowed, { visible: false, since: null, until: 'T' }), time)).toBe(
    'Ada does not see this entry: publication hides it until <T>.',
  );
  expect(sayVerdict('ada', explain(denied, { visible: false, since: null, until: null }), time)).toContain(
    'no key that matches allows it; and publication hides it, because it is a draft.',
  );
  expect(sayVerdict('ada', explain(allowed, { visible: true, since: 'S', until: null }), time)).toContain('since <S>');
});

test('each rule that can decide has its own words', () => {
  const say = (decision: Partial<Decision>): string => sayDecision('ada', 'update', { ...allowed, ...decision });
  expect(say({ decided_by: 'bypass' })).toBe('Ada may change it: a master token passes every check of access.');
  expect(say({ decided_by: 'grant', key: 'role:editor' })).toContain('allows it to the role editor');
  expect(say({ decided_by: 'channel', scope: 'none', allowed: false })).toBe(
    'Ada may not change it: the channel admits nobody to this (scope none), whatever the entry allows.',
  );
  expect(say({ decided_by: 'channel', scope: 'shared' })).toContain('admits any signed-in customer');
  expect(say({ decided_by: 'right', key: 'members:editor', right: 'update' })).toBe(
    'Ada may change it: the role editor has the right update.',
  );
  const lacked = { decided_by: 'channel', scope: 'none', allowed: false, right: 'publish@news' } as const;
  expect(say(lacked)).toContain('no role gives the right publish@news; and the channel admits nobody');
  expect(sayDecision('ada', 'publish', { ...allowed, ...lacked })).toBe(
    'Ada may not publish it and take it back: no role gives the right publish@news.',
  );
  expect(nameScope('private', 'create')).toBe('any signed-in customer');
  expect(['*', 'users', 'role:a', 'id:b', 'c'].map(nameKey)).toEqual([
    ...['everyone', 'signed-in customers', 'the role a', 'the customer b', 'the customer c'],
  ]);
});

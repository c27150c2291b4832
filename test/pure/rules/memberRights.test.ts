// Every row of docs/contract.md §14.1, as tables; and the properties of `covers`.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  allRights,
  builtInRoles,
  covers,
  findUncovered,
  hasSiteRight,
  mayByRight,
  parseRight,
  reachedChannels,
  reachOf,
  writeRight,
  type EntryRight,
  type Member,
  type Right,
} from '../../../src/rules/rights.ts';

const entryRights: EntryRight[] = ['read', 'create', 'update', 'delete', 'publish', 'access'];

function right(text: string): Right {
  const parsed = parseRight(text);
  if (parsed === null) throw new Error(`${text} is no right`);
  return parsed;
}

function member(...texts: string[]): Member {
  return { user: 'u', roles: [{ id: 'role', rights: texts.map(right) }] };
}

describe('the text of a right', () => {
  test.each(allRights)('%s is written as it is read', (text) => expect(writeRight(right(text))).toBe(text));

  test.each(['update@news', 'update:own@news', 'create@n', 'access@a-b_c'])('%s names a channel', (text) =>
    expect(writeRight(right(text))).toBe(text),
  );

  test.each([
    '',
    'write',
    'Read',
    'read ',
    'create:own',
    'access:own',
    'channels:own',
    '*:own',
    '*@news',
    'channels@news',
    'read@',
    'read@News',
    'read@a@b',
    'read:own:own',
    'read@news:own',
    'toString',
    '__proto__',
    ':own',
  ])('%j is no right', (text) => expect(parseRight(text)).toBeNull());
});

describe('the reach of a right', () => {
  //  right            read   create  update  delete  publish access
  const rows: [string, ...(string | null)[]][] = [
    ['read', 'all', null, null, null, null, null],
    ['read:own', 'own', null, null, null, null, null],
    ['create', 'own', 'all', null, null, null, null],
    ['update', 'all', null, 'all', null, null, null],
    ['update:own', 'own', null, 'own', null, null, null],
    ['delete', 'all', null, null, 'all', null, null],
    ['delete:own', 'own', null, null, 'own', null, null],
    ['publish', 'all', null, null, null, 'all', null],
    ['publish:own', 'own', null, null, null, 'own', null],
    ['access', 'all', null, null, null, null, 'all'],
    ['*', 'all', 'all', 'all', 'all', 'all', 'all'],
    ['channels', null, null, null, null, null, null],
    ['files', null, null, null, null, null, null],
  ];
  test.each(rows)('%s: read %s, create %s, update %s, delete %s, publish %s, access %s', (text, ...reaches) => {
    expect(entryRights.map((action) => reachOf(member(text), action, 'c'))).toEqual(reaches);
  });

  test('a right with a channel holds in that channel alone', () => {
    const editor = member('update@c', 'read:own');
    expect(['c', 'd'].map((uid) => reachOf(editor, 'update', uid))).toEqual(['all', null]);
    expect(['c', 'd'].map((uid) => reachOf(editor, 'read', uid))).toEqual(['all', 'own']);
    expect(reachedChannels(editor, 'read')).toEqual({ everywhere: 'own', all: ['c'], own: [] });
  });
});

describe('an action on an entry by right', () => {
  const may = (
    texts: string[],
    action: 'read' | 'update' | 'delete' | 'publish',
    own: boolean,
    status: string,
  ): boolean =>
    mayByRight(
      member(...texts),
      action,
      { uid: 'c', publishable: true },
      { owner: own ? 'member:u' : 'u', status: status as 'draft' },
    );

  test.each([
    [['update'], 'draft', true, true],
    [['update:own'], 'draft', true, false],
    [['update'], 'published', false, false],
    [['update'], 'scheduled', false, false],
    [['update:own', 'publish:own'], 'published', true, false],
    [['update', 'publish:own'], 'published', true, false],
    [['update', 'publish@c'], 'published', true, true],
    [['update', 'publish@d'], 'published', false, false],
    [['publish'], 'draft', false, false],
    [['*'], 'scheduled', true, true],
  ])('%j on a %s entry: own %s, of others %s', (texts, status, own, others) => {
    for (const action of ['update', 'delete'] as const) {
      const given = texts.map((text) => text.replace('update', action));
      expect([may(given, action, true, status), may(given, action, false, status)]).toEqual([own, others]);
    }
  });

  test('in a channel that is not publishable, an update needs no publish', () => {
    const channel = { uid: 'c', publishable: false };
    expect(mayByRight(member('update'), 'update', channel, { owner: null, status: 'published' })).toBe(true);
  });

  test('an entry without an owner, and a customer whose id is the id of the user, are nobody of the members', () => {
    expect(may(['read:own'], 'read', false, 'draft')).toBe(false);
    expect(mayByRight(null, 'read', { uid: 'c', publishable: false }, { owner: null, status: 'draft' })).toBe(false);
  });
});

describe('giving rights', () => {
  const channels = [null, 'a', 'b'];
  const anyRight = fc
    .tuple(fc.constantFrom(...allRights), fc.constantFrom(...channels))
    .map(([text, channel]) => parseRight(channel === null ? text : `${text}@${channel}`) ?? right(text));
  const reaches = (each: Right): string[] => [
    ...['a', 'b', 'later'].flatMap((uid) =>
      entryRights.map((action) => reachOf({ roles: [{ id: '', rights: [each] }] }, action, uid) ?? ''),
    ),
    ...(['channels', 'customers', 'members', 'tokens', 'webhooks', 'audit', 'files'] as const).map((name) =>
      hasSiteRight({ roles: [{ id: '', rights: [each] }] }, name) ? 'all' : '',
    ),
    each.name === '*' ? 'all' : '',
  ];

  test('a right covers another one exactly if it reaches, in every channel, whatever the other one reaches', () => {
    const rank = ['', 'own', 'all'];
    fc.assert(
      fc.property(anyRight, anyRight, (one, other) => {
        const [had, needed] = [reaches(one), reaches(other)];
        const isCovered = needed.every((reach, index) => rank.indexOf(reach) <= rank.indexOf(had[index] ?? ''));
        expect(covers(one, other)).toBe(isCovered);
      }),
      { numRuns: 2_000 },
    );
  });

  const builtIn = (id: string): Member => ({ user: 'u', roles: builtInRoles.filter((role) => role.id === id) });
  const given = (id: string): readonly Right[] => builtIn(id).roles[0]?.rights ?? [];
  //        giver        owner  admin  publisher editor author viewer
  const rows: [string, boolean, boolean, boolean, boolean, boolean, boolean][] = [
    ['owner', true, true, true, true, true, true],
    ['admin', false, true, true, true, true, true],
    ['publisher', false, false, true, true, true, true],
    ['editor', false, false, false, true, true, true],
    ['author', false, false, false, false, true, true],
    ['viewer', false, false, false, false, false, true],
  ];
  test.each(rows)('%s gives owner %s, admin %s, publisher %s, editor %s, author %s, viewer %s', (giver, ...may) => {
    const roles = ['owner', 'admin', 'publisher', 'editor', 'author', 'viewer'];
    expect(roles.map((role) => findUncovered(builtIn(giver), given(role)) === null)).toEqual(may);
  });

  test('the admin has each right but *', () => {
    expect(given('admin').map(writeRight)).toEqual(allRights.filter((text) => text !== '*'));
  });
});

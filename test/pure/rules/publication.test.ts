// Every row of docs/contract.md §4, as tables.
import { describe, expect, test } from '@jest/globals';
import {
  initialPublication,
  isComplete,
  isVisible,
  publicationAfterWrite,
  type Publication,
  type Status,
} from '../../../src/rules/publication.ts';
import { makeViewer, type Viewer } from '../../../src/rules/callers.ts';
import { maySee, type ChannelRules } from '../../../src/rules/access.ts';

const now = new Date('2026-06-01T12:00:00.000Z');
const past = new Date('2026-06-01T11:59:59.999Z');
const future = new Date('2026-06-01T12:00:00.001Z');

test.each([
  ['public', 'public'],
  ['master', 'management'],
  ['user', 'management'],
] as const)('a %s token reads as %s', (kind, audience) => {
  expect(makeViewer({ kind, customer: null, scopes: null }, false, new Date()).audience).toBe(audience);
});

describe('entries of a publishable channel that the public sees', () => {
  const rows: [Status, Date | null, boolean][] = [
    ['draft', null, false],
    ['draft', past, false],
    ['draft', future, false],
    ['scheduled', past, true],
    ['scheduled', now, true],
    ['scheduled', future, false],
    ['published', null, true],
    ['published', past, true],
    ['published', now, true],
    ['published', future, false],
  ];
  test.each(rows)('the public in a publishable channel, %s with the time %s: %s', (status, publishAt, seen) => {
    expect(isVisible('public', true, { status, publishAt }, now)).toBe(seen);
    expect(isVisible('management', true, { status, publishAt }, now)).toBe(true);
    expect(isVisible('public', false, { status, publishAt }, now)).toBe(true);
  });
});

test.each([
  [true, 'draft'],
  [false, 'published'],
] as const)('an entry of a channel whose publishable is %s starts as %s', (publishable, status) => {
  expect(initialPublication(publishable)).toEqual({ status, publishAt: null });
});

describe('the state after a write', () => {
  const live: Publication = { status: 'published', publishAt: past };
  const draft: Publication = { status: 'draft', publishAt: null };
  const asked = { status: 'scheduled', publishAt: future } as const;
  test.each([
    ['public', true, live, asked, draft],
    ['user', true, live, asked, draft],
    ['public', true, live, {}, draft],
    ['user', true, live, {}, draft],
    ['public', false, live, asked, live],
    ['user', false, live, asked, live],
    ['master', true, live, {}, live],
    ['master', true, draft, asked, asked],
    ['master', false, live, { status: 'draft' }, { status: 'draft', publishAt: past }],
    ['master', true, live, { publishAt: null }, { status: 'published', publishAt: null }],
    ['master', true, live, { status: 'draft' }, { status: 'draft', publishAt: past }],
  ] as const)(
    'a write by a %s token, publishable %s, from %j asking %j: %j',
    (kind, publishable, before, change, after) => {
      expect(publicationAfterWrite(kind, publishable, before, change)).toEqual(after);
    },
  );
});

test.each([
  ['draft', null, true],
  ['published', null, true],
  ['scheduled', null, false],
  ['scheduled', future, true],
] as const)('the state %s with the time %s can be stored: %s', (status, publishAt, complete) => {
  expect(isComplete({ status, publishAt })).toBe(complete);
});

describe('seeing an entry takes access and publication', () => {
  const channel: ChannelRules = {
    uid: 'c',
    publishable: true,
    acl: { create: 'none', read: 'private', update: 'none', delete: 'none' },
  };
  const ada = { is: 'customer', id: 'ada', roles: [] } as const;
  const viewer = (audience: Viewer['audience'], subject: Viewer['subject']): Parameters<typeof maySee>[0] => ({
    audience,
    subject,
    now,
    within: null,
    scopes: null,
  });
  const adas = (status: Status): Parameters<typeof maySee>[2] => ({ acl: {}, owner: 'ada', status, publishAt: null });

  test('the owner with a public token sees published entries and no draft', () => {
    expect(maySee(viewer('public', ada), channel, adas('published'))).toBe(true);
    expect(maySee(viewer('public', ada), channel, adas('draft'))).toBe(false);
  });

  test('the owner with a management token sees the draft too', () => {
    expect(maySee(viewer('management', ada), channel, adas('draft'))).toBe(true);
  });

  test('management sees no entry that access control closes', () => {
    expect(maySee(viewer('management', { is: 'anonymous' }), channel, adas('published'))).toBe(false);
  });
});

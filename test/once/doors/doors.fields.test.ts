// The fields of entries, channels and what belongs to them, each with every kind of caller: what test/once/doors/doors.ts
// says of them is so.
import { describe, expect, test } from '@jest/globals';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import type { EntryRow } from '../../../src/entries/row.ts';
import type { GraphqlAnswer } from '../../support/as.ts';
import { fieldsOf } from '../../support/doors.ts';
import { kinds, names, rights, type Name } from '../../support/sites.ts';
import { cellOf } from './doors.ts';
import { suiteSites } from '../../support/scene.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const noRule = { create: null, read: null, update: null, delete: null };

/** The access lists of the fixture, as they are told to who may know them. */
const acls: Record<Name | 'theirs', object[]> = {
  adas: [
    { actor: '*', ...noRule, read: false },
    { actor: 'ada', create: null, read: true, update: true, delete: true },
  ],
  closed: [
    { actor: '*', ...noRule, read: false },
    { actor: 'users', create: null, read: false, update: false, delete: false },
  ],
  draft: [{ actor: 'carol', ...noRule, read: true }],
  open: [{ actor: 'carol', ...noRule, read: true }],
  theirs: [],
};
const owners: Record<Name | 'theirs', string | null> = {
  ...{ adas: 'ada', closed: 'bob', draft: 'bob', open: 'bob' },
  theirs: null,
};

const { app, sites } = await suiteSites();

/** All of an entry of the fixture. */
function entryTruth(name: Name | 'theirs', { id, shortId }: EntryRow): Record<string, unknown> {
  const isTheirs = name === 'theirs';
  return {
    id,
    shortId,
    slug: name,
    url: `${app.url}/channels/articles/entries/${id}`,
    channel: { id: 'articles' },
    version: 1,
    createdAt: time,
    updatedAt: time,
    titleFieldValue: isTheirs ? 'Theirs' : `Title of ${name}`,
    status: name === 'draft' ? 'DRAFT' : 'PUBLISHED',
    publishAt: null,
    acl: acls[name],
    owner: owners[name],
    fields: isTheirs ? { title: 'Theirs' } : { title: `Title of ${name}`, secret: `secret of ${name}` },
  };
}

const entryQuery = `{ entries(channel: "articles", sort: "slug") {
  totalCount
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  edges { cursor node { slug } }
  nodes { id shortId slug url channel { id } version createdAt updatedAt titleFieldValue status publishAt
    acl { actor create read update delete } owner fields }
} }`;

interface EntryList {
  readonly totalCount: number;
  readonly pageInfo: Record<string, unknown>;
  readonly edges: { cursor: string; node: { slug: string } }[];
  readonly nodes: Record<string, unknown>[];
}

/** Whether a caller's request was refused as its cell says; where it was not, the data. */
function answered<Data>(cell: string, { status, data, errors }: GraphqlAnswer<Data | undefined>): Data | undefined {
  const refusal = /^\d+$/.test(cell) ? Number(cell) : undefined;
  expect([cell, status]).toEqual([cell, refusal ?? 200]);
  if (refusal === undefined) expect([cell, errors]).toEqual([cell, undefined]);
  else expect([cell, data ?? null]).toEqual([cell, null]);
  return refusal === undefined ? data : undefined;
}

describe('Entry, AclRule, EntryConnection, EntryEdge, PageInfo', () => {
  test.each(kinds)('entries have for %s the fields that the table of doors allows', async (kind) => {
    const answer = await sites.ask(kind).gql<{ entries: EntryList } | undefined>(entryQuery);
    const data = answered(cellOf('EntryConnection', '*', kind), answer);
    if (data === undefined) return;
    const { reads = [], manages = [] } = rights[kind] ?? {};
    const isOwn = cellOf('Entry', '*', kind) === 'own';
    const seen = isOwn ? (['theirs'] as const) : reads;
    const { totalCount, pageInfo, edges, nodes } = data.entries;
    const shown = seen.map((name) => {
      const truth = entryTruth(name, name === 'theirs' ? sites.theirs : sites.entries[name]);
      const told = Object.entries(truth).map(([field, value]) => {
        const cell = cellOf('Entry', field, kind);
        const isPrivate = field === 'acl' || field === 'owner';
        const isTold =
          cell === 'part' ? !isPrivate || manages.includes(name as Name) : cell === 'yes' || cell === 'own';
        return [field, isTold ? value : null];
      });
      return Object.fromEntries(told) as Record<string, unknown>;
    });
    expect(nodes).toEqual(shown);
    expect(totalCount).toBe(seen.length);
    expect(edges.map(({ node }) => node.slug)).toEqual(seen);
    const [first, last] = [edges[0]?.cursor, edges.at(-1)?.cursor];
    expect(pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: false, startCursor: first, endCursor: last });
    const rulesTold = nodes.filter(({ acl }) => Array.isArray(acl) && acl.length > 0).length;
    expect(rulesTold > 0).toBe(['yes', 'part'].includes(cellOf('AclRule', 'actor', kind)));
  });
});

const changesQuery = `{ changes(channel: "articles", types: ["entry.created"]) {
  cursor more nodes { cursor type at channel id version actor { kind } entry { slug } }
} }`;

interface ChangeList {
  readonly cursor: string;
  readonly more: boolean;
  readonly nodes: Record<string, unknown>[];
}

describe('ChangeConnection, Change', () => {
  test.each(kinds)('changes have for %s the fields that the table of doors allows', async (kind) => {
    const cell = cellOf('Change', '*', kind);
    const answer = await sites.ask(kind).gql<{ changes: ChangeList } | undefined>(changesQuery);
    const data = answered(cellOf('ChangeConnection', '*', kind), answer);
    if (data === undefined) return;
    const { reads = [] } = rights[kind] ?? {};
    const told = cell === 'own' ? (['theirs'] as const) : cell === 'yes' ? names : reads;
    const actor = cellOf('Change', 'actor', kind) === 'null' ? null : { kind: 'SERVICE' };
    const isFound = (name: Name | 'theirs'): boolean => name === 'theirs' || reads.includes(name);
    expect(data.changes).toEqual({
      cursor: expect.any(String),
      more: false,
      nodes: told.map((name) => ({
        ...{ cursor: expect.any(String), type: 'entry.created', at: time, channel: 'articles', version: 1 },
        id: (name === 'theirs' ? sites.theirs : sites.entries[name]).id,
        actor,
        entry: isFound(name) ? { slug: name } : null,
      })),
    });
    expect(told.every(isFound)).toBe(cellOf('Change', 'entry', kind) === cell);
  });
});

/** All of a channel of the fixture. */
function channelTruth(id: string): Record<string, unknown> {
  const isOwn = id.startsWith('only-');
  return {
    id,
    name: 'A channel',
    description: isOwn ? null : 'What only managers are told',
    publishable: !isOwn,
    acl: isOwn
      ? { create: 'NONE', read: 'PUBLIC', update: 'NONE', delete: 'NONE' }
      : { create: 'SHARED', read: 'PUBLIC', update: 'SHARED', delete: 'SHARED' },
    titleField: 'title',
    language: 'english',
    typeName: null,
    layout: isOwn ? null : { groups: [] },
    fields: [],
  };
}

const channelFields =
  '{ id name description publishable acl { create read update delete } titleField language typeName layout fields { name } }';

describe('Channel, ChannelAcl, Field, by each path to them', () => {
  test.each(kinds)(
    'channels have for %s the fields that the table of doors allows, by each path to them',
    async (kind) => {
      const isOwn = cellOf('Channel', '*', kind) === 'own';
      const ids = [`only-${isOwn ? 'there' : 'here'}`, 'articles', 'forms'];
      const query = `{
      channels ${channelFields}
      channel(id: "articles") ${channelFields}
      entry(channel: "articles", id: "${isOwn ? 'theirs' : 'open'}") { channel ${channelFields} }
      entries(channel: "articles") { nodes { channel ${channelFields} } edges { node { channel ${channelFields} } } }
    }`;
      const answer = await sites.ask(kind).gql<
        | {
            channels: object[];
            channel: object;
            entry: { channel: object };
            entries: { nodes: { channel: object }[]; edges: { node: { channel: object } }[] };
          }
        | undefined
      >(query);
      const data = answered(cellOf('Channel', '*', kind), answer);
      if (data === undefined) return;
      const [own, articles, forms] = ids.map((id) => {
        const told = Object.entries(channelTruth(id)).map(([field, value]) => {
          return [field, cellOf('Channel', field, kind) === 'null' ? null : value];
        });
        return Object.fromEntries(told) as object;
      });
      expect(data.channels).toEqual([own, articles, forms]);
      const { nodes, edges } = data.entries;
      const others = [
        data.channel,
        data.entry.channel,
        ...nodes.map((n) => n.channel),
        ...edges.map((e) => e.node.channel),
      ];
      expect(others).toEqual(others.map(() => articles));
      expect(others.length).toBeGreaterThan(3);
      expect(cellOf('ChannelAcl', 'read', kind)).toBe(cellOf('Channel', 'acl', kind));
      expect(cellOf('Field', 'name', kind)).toBe('null');
    },
  );
});

/** What leads from an entry to others is tried with every kind of caller in test/both/graphql/references.test.ts. */
const leading = new Set(['value', 'reference', 'references']);

/** What is told of bulks and of definitions: it leads to entries alone. Asked for in test/both/graphql. */
const elsewhere = {
  BulkResult: 'results',
  OperationResult: 'status entry error',
  OperationError: 'code message errors',
  MemberError: 'field code message',
  Field:
    'name label hint type required unique indexed default options channel min max pattern message read write readable writable',
};

test('the tests of entries, changes and channels select each field of these types', () => {
  const fields = [...fieldsOf(createSchema(resolvers)).keys()];
  const of = (type: string): string[] =>
    fields.filter((field) => field.startsWith(`${type}.`)).map((field) => field.slice(type.length + 1));
  expect(Object.keys(entryTruth('open', sites.entries.open))).toEqual(of('Entry').filter((name) => !leading.has(name)));
  expect(Object.keys(channelTruth('articles'))).toEqual(of('Channel'));
  for (const [type, told] of Object.entries(elsewhere)) expect([type, of(type).join(' ')]).toEqual([type, told]);
  const words = new Set(`${entryQuery} ${channelFields} ${changesQuery}`.split(/\W+/));
  for (const type of [
    'AclRule',
    'EntryConnection',
    'EntryEdge',
    'PageInfo',
    'ChannelAcl',
    'Change',
    'ChangeConnection',
  ]) {
    expect([type, of(type).filter((field) => !words.has(field))]).toEqual([type, []]);
  }
});

// Every door has a row that says what each kind of caller gets there, and every row a door: read from the router and
// the schema, and held against test/once/doors/doors.ts. Its neighbours doors.*.test.ts try what the rows
// say; here it is what they say of paths without data, and that there are no other paths.
import { describe, expect, test } from '@jest/globals';
import { createSchema } from '../../../src/graphql/schema.ts';
import { resolvers, routes } from '../../../src/features.ts';
import { send } from '../../support/as.ts';
import { fieldsOf, httpDoors } from '../../support/doors.ts';
import { kinds } from '../../support/sites.ts';
import { fieldTable, httpTable, operationTable } from './doors.ts';
import { suiteSites } from '../../support/scene.ts';

describe('the table of doors', () => {
  test('the table of doors has the paths of the router, the routes of REST among them', async () => {
    const doors = await httpDoors();
    expect(doors).toEqual([...httpTable.keys()].sort());
    for (const { method, path } of routes) expect(doors).toContain(`${method} ${path}`);
  });

  const fields = fieldsOf(createSchema(resolvers));
  const isRoot = (field: string): boolean => /^(Query|Mutation)\./.test(field);

  test('the table of doors has the fields of Query and Mutation', () => {
    expect([...fields.keys()].filter(isRoot).sort()).toEqual([...operationTable.keys()].sort());
  });

  test('the table of doors has the fields of each object type', () => {
    const inner = [...fields.keys()].filter((field) => !isRoot(field));
    const rowOf = (field: string): string =>
      fieldTable.has(field) ? field : `${field.slice(0, field.indexOf('.'))}.*`;
    expect([...new Set(inner.map(rowOf))].sort()).toEqual([...fieldTable.keys()].sort());
  });
});

const { app, sites } = await suiteSites();

/** Doors to no data, and the methods that a path lacks. GET and POST of /graphql and POST of /graphql/stream are those of its fields. */
const withoutData = [...httpTable.keys()].filter((door) =>
  /^\*|livez|readyz|graphql|docs|console|pages|auth|sign-ins|me\/tokens| \/$/.test(door),
);

describe.each(withoutData)('%s', (door) => {
  const [method = '', address = ''] = door.split(' ');
  const target = address.replace(':channel', 'articles').replace(':entry', 'open');
  const named = [...httpTable.keys()].filter((each) => each.endsWith(` ${address}`)).map((each) => each.split(' ')[0]);
  const known = address.startsWith('/graphql') ? ['POST', ...named] : named;
  const lacking = ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter((each) => !known.includes(each));
  const methods = method === '*' ? lacking : [method];

  test.each(kinds)('a door without data answers %s as the table of doors says', async (kind) => {
    const cell = httpTable.get(door)?.[kind] ?? '';
    for (const each of methods) {
      const { status, text } = await sites.ask(kind).rest(each, target);
      const wanted = cell !== 'yes' ? Number(cell) : each === 'OPTIONS' ? 204 : 200;
      expect([each, status]).toEqual([each, wanted]);
      expect(text).not.toMatch(/secret of|Title of/);
    }
  });
});

describe('other paths', () => {
  const paths = [
    ...['/channels/', '/channels/articles/', '/channels/articles/entries/', '/entries', '/customers/ada/'],
    ...[
      '/channels/articles/entries/open/',
      '/channels/articles/entries/open/_acl',
      '/graphql/',
      '/graphql/schema',
      '/graphql/stream/',
    ],
    ...['/CHANNELS/articles/entries', '/channels/articles/Entries', '//channels/articles/entries', '/Graphql'],
    ...['/livez/', '/sites', '/tokens/', '/sessions', '/customers/', '/users', '/memberships', '/admin', '/metrics'],
    ...['/health', '/status', '/debug', '/.env', '/schema', '/schema/entry.graphql', '/package.json', '/v1', '/api'],
    ...[
      '/channels/articles;x/entries/open/x',
      '/channels/articles/entries.json',
      '/batch',
      '/playground',
      '/docs/',
      '/pages',
    ],
  ];
  test.each(kinds)('other paths answer %s with 404', async (kind) => {
    for (const each of paths) {
      const { token, session, site } = sites.credentials[kind] ?? {};
      const headers = {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(session !== undefined && { 'Session-Token': session }),
        ...(site !== undefined && { 'X-Service-Site': site }),
      };
      const answer = await send<{ code: string }>(app, 'GET', each, { headers });
      expect([each, answer.status, answer.body.code]).toEqual([each, 404, 'not_found']);
    }
  });
});

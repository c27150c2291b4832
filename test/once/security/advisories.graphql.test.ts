// Published holes of systems like this one, by the shapes V1 to V26, tried here: names that GraphQL lets its callers
// choose, and feeds. Where a shape can't exist yet, the test holds that it can't.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { send } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { fieldsOf } from '../../support/doors.ts';
import { kinds } from '../../support/sites.ts';
import { suiteSites } from '../../support/scene.ts';

const { app, sites } = await suiteSites();

const json = { 'Content-Type': 'application/json' };

describe('V7: what is left out by its name comes under another', () => {
  /** Every way to an entry, as `it`; those to a channel are below each. */
  const ways = (id: string): Record<string, [type: 'query' | 'mutation', field: string]> => ({
    entry: ['query', `it: entry(channel: "forms", id: "${id}") { ...e }`],
    nodes: ['query', 'it: entries(channel: "forms", first: 1) { nodes { ...e } }'],
    edges: ['query', 'it: entries(channel: "forms", first: 1) { edges { node { ...e } } }'],
    update: ['mutation', `it: updateEntry(channel: "forms", id: "${id}", input: {}) { ...e }`],
    create: [
      'mutation',
      'it: createEntry(channel: "forms", input: { owner: "bob", acl: [{ actor: "carol", read: true }] }) { ...e }',
    ],
  });
  const disguises = {
    plain: 'fragment e on Entry { acl { actor } owner channel { acl { read } description language } }',
    aliased:
      'fragment e on Entry { id: owner fields: acl { slug: actor } slug: channel { id: acl { id: read } name: description x: language } }',
    nested:
      'fragment e on Entry { ...f } fragment f on Entry { ... on Entry { ... { a: owner b: acl { a: actor } } c: channel { ...g } } } fragment g on Channel { acl { read } d: description ... { language } }',
    directed:
      'fragment e on Entry { a: owner @include(if: true) b: acl @skip(if: false) { a: actor } c: channel @include(if: true) { d: acl { e: read } description language } }',
  };
  /** Everything that those select, of an entry of Bob's that Carol may read, in a channel with a description. */
  const secret = /bob|carol|PUBLIC|managers|english|"\*"/;

  test.each(Object.keys(ways('')))(
    'aliases, fragments and other ways show no access list, owner or rules that are private: %s',
    async (way) => {
      for (const [name, fragment] of Object.entries(disguises)) {
        for (const kind of ['public', 'public+ada', 'user+ada', 'master/acl']) {
          const entry = await buildEntry(app.database.prisma, sites.here.forms, {
            owner: 'bob',
            acl: { carol: { read: true } },
          });
          const [type, field] = ways(entry.id)[way] ?? ['query', ''];
          const { data, errors } = await sites
            .ask(kind)
            .gql<{ it: object | null } | undefined>(`${type} { ${field} } ${fragment}`);
          const told = JSON.stringify(data?.it ?? null);
          const mayKnow = kind.startsWith('user') || kind.startsWith('master');
          if (told === 'null') expect([name, kind, errors?.[0]?.extensions.code]).toEqual([name, kind, 'FORBIDDEN']);
          else expect([name, kind, secret.test(told)]).toEqual([name, kind, mayKnow]);
        }
      }
    },
  );

  test('a channel’s rules and description are null for a public token, by both root fields', async () => {
    const fields = 'id: acl { id: read } name: description titleField: language';
    for (const query of [`{ a: channel(id: "articles") { ${fields} } b: channels { ${fields} } }`]) {
      for (const kind of kinds.filter((each) => /^(public|user|master)/.test(each))) {
        const told = JSON.stringify((await sites.ask(kind).gql(query)).data);
        expect([kind, secret.test(told)]).toEqual([kind, !kind.startsWith('public')]);
      }
    }
  });

  test('a payload with custom fields named like fixed members makes none that is shown', async () => {
    for (const name of ['_acl', '_owner', '_secret', '_status']) {
      const body = {
        query: `mutation ($f: JSONObject!) { createEntry(channel: "forms", input: { fields: $f }) { fields } }`,
        variables: { f: { [name]: 'x' } },
      };
      const { text } = await sites.ask('public+ada').rest('POST', '/graphql', { body });
      expect([name, text]).toEqual([name, expect.stringContaining('BAD_USER_INPUT')]);
    }
  });
});

describe('V8: a live feed that passes the rules by', () => {
  test('the only subscription is the feed of changes', async () => {
    const schema = createSchema(resolvers);
    expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual(['changes']);
    expect(
      schema
        .getDirectives()
        .map(({ name }) => name)
        .filter((name) => /defer|stream|live/.test(name)),
    ).toEqual([]);
    const others = [...fieldsOf(schema).keys()].filter(
      (name) => !/^(Subscription\.changes|\w*Webhook|\w+\.\w*webhook)/i.test(name),
    );
    expect(others.filter((name) => /event|hook|watch|subscri|feed|stream/i.test(name))).toEqual([]);
    const { errors, status } = await sites
      .ask('master')
      .gql('subscription { entries(channel: "articles") { totalCount } }');
    expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([400, ['GRAPHQL_VALIDATION_FAILED']]);
    const deferred = await sites.ask('master').gql('{ channels { id } ... @defer { tokens { id } } }');
    expect(deferred.status).toBe(400);
  });

  test.each([
    ...['/graphql', '/graphql/site', '/graphql/stream', '/', '/channels/articles/entries', '/nowhere'].map(
      (path) => [path, 'graphql-transport-ws'] as const,
    ),
    ['/graphql', 'graphql-ws'] as const,
  ])(
    '%s refuses a WebSocket of the subprotocol %s for each caller, and names the stream',
    async (path, subprotocol) => {
      const headers = {
        Authorization: `Bearer ${sites.here.site.master}`,
        ...{
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': 'x3JJHMbDL1EzLkh9GBhXDw==',
        },
        'Sec-WebSocket-Protocol': subprotocol,
      };
      const outcome = await new Promise<string>((resolve) => {
        const asked = request(`${app.url}${path}`, { headers }, (answer) => {
          void text(answer).then((body) => resolve(`${answer.statusCode} ${body}`));
        });
        asked.on('upgrade', (_answer, socket) => {
          socket.destroy();
          resolve('upgraded');
        });
        asked.on('error', () => resolve('closed'));
        asked.end();
      });
      expect(outcome).toMatch(/^400 \{.*"detail":"There are no WebSockets here\. .*POST \/graphql\/stream/);
    },
  );

  test('/graphql offers no event stream', async () => {
    const headers = { ...json, Accept: 'text/event-stream', Authorization: `Bearer ${sites.here.site.master}` };
    for (const path of ['/graphql', '/graphql/site']) {
      const answer = await send(app, 'POST', path, { headers, body: '{"query":"{ channels { id } }"}' });
      expect(answer.headers.get('content-type')).not.toMatch(/event-stream|multipart/);
    }
  });
});

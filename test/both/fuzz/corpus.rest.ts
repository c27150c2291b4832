// Real requests of the REST door, by route. A route without one fails test/once/fuzz/corpus.test.ts.
import { pageSeeds } from './corpus.pages.ts';
import type { Draft, Pair } from './request.ts';

interface Sample {
  /** The row of the routes table. */
  readonly route: string;
  /** What stands for `:entry`. */
  readonly entry?: string;
  readonly channel?: string;
  /** `name=value` parameters, not yet encoded. */
  readonly query?: string;
  readonly headers?: readonly Pair[];
  readonly json?: unknown;
}

const collection = '/channels/:channel/entries';
const member = `${collection}/:entry`;

/** What was read is sent back, with more. */
const article = {
  ...{ id: 'ignored', url: 'https://example.com/x', short_id: 'IGNORED123', channel: 'news', version: 3 },
  ...{ title: 'Tea at noon', body: 'Bring cups.', tags: ['tea', 'noon'], rating: 4.5, seats: 12, open: true },
  ...{ author: { name: 'Ann', links: [{ rel: 'self', href: 'https://example.com' }] }, cleared: null },
};
const managed = {
  ...article,
  ...{ slug: 'tea-~nonce~', _status: 'scheduled', _publish_at: '2031-05-01T12:00:00+02:00', _owner: '~site.id.ann~' },
  _acl: { '*': { read: false }, users: { read: true }, 'role:editor': { update: true, delete: false } },
};
/** A filter of every form. */
const where = JSON.stringify({
  or: [{ title: { contains: 'of' } }, { not: { year: { lt: 1905, ne: 3 } } }, { and: [] }],
  tags: { nin: ['x'] },
  slug: { exists: true },
  _status: { in: ['draft', 'published'] },
});

const settings = {
  ...{
    name: 'Made',
    description: null,
    publishable: true,
    acl: { read: 'public', create: 'NONE' },
    language: 'german',
  },
  ...{ title_field: 'title', fields: [{ name: 'title', type: 'string', required: true, default: 'x', max: 9 }] },
  layout: { columns: ['title'] },
};

/** Reads as somebody else. */
const previews: readonly Sample[] = [
  { route: `GET ${collection}`, channel: 'club', query: 'as=customer:~site.id.ann~&at=2031-05-01T12:00:00Z' },
  { route: `GET ${collection}/count`, channel: 'news', query: 'as=roles:editor,"a,b"&at=2031-05-01T12:00:00+02:00' },
  {
    route: `GET ${member}`,
    channel: 'news',
    entry: '~site.news-open.id~',
    query: 'as=anonymous&at=2031-05-01T12:00:00Z',
  },
  { route: `GET ${member}/access`, channel: 'desk', entry: '~site.desk-bob.id~', query: 'as=customer:~site.id.bob~' },
  { route: `GET ${collection}`, channel: 'desk', query: 'as=member:~site.id.member~' },
  { route: `GET ${collection}/count`, channel: 'club', query: 'as=member:~site.id.member~' },
  { route: `GET ${collection}`, channel: 'club', query: 'as=member:~site.id.member~&per_page=2' },
  { route: `GET ${collection}/count`, channel: 'desk', query: 'as=member:~site.id.member~' },
  { route: `GET ${member}`, channel: 'news', entry: '~site.news-past.id~', query: 'as=member:~site.id.member~' },
  { route: `GET ${member}`, channel: 'news', entry: '~site.news-open.id~', query: 'as=member:~site.id.member~' },
  {
    route: `GET ${member}/access`,
    channel: 'desk',
    entry: '~site.desk-bob.short~',
    query: 'as=member:~site.id.member~',
  },
  {
    route: `GET ${member}/access`,
    channel: 'news',
    entry: '~site.news-draft.id~',
    query: 'as=roles:editor&at=2031-05-01T12:00:00Z',
  },
];

/** Into publication and out of it. */
const publishing: readonly Sample[] = [
  {
    route: `POST ${member}/publish`,
    entry: '~site.news-draft.id~',
    query: 'use_acl=false',
    json: { publish_at: '2031-05-01T12:00:00+02:00', entry: { title: 'Out soon', cleared: null } },
  },
  {
    route: `POST ${member}/publish`,
    channel: 'desk',
    entry: '~site.desk-ann-draft.short~',
    json: { publish_at: null },
  },
  {
    route: `POST ${member}/unpublish`,
    entry: '~site.news-late.slug~',
    query: 'use_acl=false',
    headers: [['If-Match', '*']],
    json: {},
  },
];

/** Management data. Who signs out asks for nothing else. */
const managing: readonly Sample[] = [
  { route: 'GET /channels' },
  { route: 'POST /channels', json: { id: 'made-by-rest-~nonce~', ...settings } },
  { route: 'GET /channels/:channel', channel: 'desk' },
  { route: 'GET /channels/:channel/acl-preview', channel: 'desk', query: 'read=none&publishable=false' },
  { route: 'GET /channels/:channel/acl-preview', channel: 'club', query: 'create=PUBLIC&update=shared&delete=private' },
  { route: 'GET /channels/:channel/rights', channel: 'desk' },
  { route: 'GET /channels/:channel/rights', channel: 'desk', query: 'entry=~site.desk-bob.id~' },
  { route: 'PATCH /channels/:channel', channel: 'spare', query: 'confirm=spare', json: settings },
  { route: 'DELETE /channels/:channel', channel: 'removed', query: 'confirm=removed' },
  { route: 'GET /customers', query: 'per_page=2&name=C&email=c@example.com' },
  { route: 'GET /customers', query: 'per_page=1&cursor=~play.customers~' },
  { route: 'POST /customers', json: { id: 'r-~nonce~', email: 'c@example.com', name: 'C', roles: ['editor', 'a:b'] } },
  { route: 'GET /customers/:customer' },
  { route: 'PATCH /customers/:customer', json: { email: null, name: 'D', roles: ['*'] } },
  { route: 'GET /customers/:customer/sessions' },
  { route: 'POST /customers/:customer/sessions', json: { ttl_seconds: 60 } },
  { route: 'DELETE /session', headers: [['X-Service-Session-Token', '~site.leaving~']] },
  { route: 'DELETE /sessions/:session' },
  { route: 'GET /me' },
  { route: 'GET /members', query: 'per_page=1' },
  { route: 'GET /members', query: 'per_page=1&cursor=~play.members~' },
  { route: 'GET /members/:user' },
  { route: 'PATCH /members/:user', json: { roles: ['viewer', 'author'] } },
  { route: 'DELETE /members/:user' },
  { route: 'GET /invitations' },
  { route: 'POST /invitations', json: { email: 'r-~nonce~@example.com', roles: ['viewer'], expires_at: null } },
  { route: 'GET /invitations/:invitation' },
  { route: 'DELETE /invitations/:invitation' },
  { route: 'GET /roles' },
  { route: 'POST /roles', json: { id: 'r-~nonce~', name: 'Editors of news', rights: ['read', 'update:own@news'] } },
  { route: 'GET /roles/:role' },
  { route: 'PATCH /roles/:role', json: { name: null, rights: ['create', 'publish@desk'] } },
  { route: 'DELETE /roles/:role', query: 'confirm=~site.dropped.role~' },
  { route: 'GET /tokens' },
  { route: 'POST /tokens', json: { kind: 'public', name: 'app', expires_at: '2999-01-01T00:00:00Z' } },
  { route: 'DELETE /tokens/:token' },
];

const webhook = {
  url: 'https://receiver.example/hook',
  types: ['entry.published', 'channel.deleted'],
  channels: ['news'],
  audience: 'management',
  enabled: false,
};

/** The feed of changes, and the webhooks that are told of them. */
const happened: readonly Sample[] = [
  { route: 'GET /changes', query: 'after=now&limit=10&types=entry.created,entry.removed&include=entry' },
  { route: 'GET /changes', query: 'limit=1000&include=entry' },
  { route: 'GET /channels/:channel/changes', query: 'after=now&limit=1&types=entry.updated&include=entry' },
  { route: 'GET /audit', query: 'per_page=2&type=webhook&since=2026-01-31T00:00:00Z' },
  { route: 'GET /audit', query: 'per_page=1&cursor=~play.audit~' },
  { route: 'GET /audit', query: 'actor=root&subject=news&until=2036-01-31T00:00:00Z' },
  { route: 'GET /webhooks' },
  { route: 'POST /webhooks', json: webhook },
  { route: 'GET /webhooks/:webhook' },
  { route: 'PATCH /webhooks/:webhook', json: { ...webhook, types: null } },
  { route: 'DELETE /webhooks/:webhook' },
  { route: 'POST /webhooks/:webhook/rotate-secret', json: { overlap_seconds: 60 } },
  { route: 'POST /webhooks/:webhook/test', json: {} },
  { route: 'GET /webhooks/:webhook/deliveries', query: 'per_page=2' },
  { route: 'GET /webhooks/:webhook/deliveries', query: 'per_page=1&cursor=~play.deliveries~' },
  { route: 'POST /webhooks/:webhook/deliveries/:delivery/redeliver', json: {} },
];

const samples: readonly Sample[] = [
  ...managing,
  { route: `POST ${collection}`, json: article },
  { route: `POST ${collection}`, json: managed },
  { route: `POST ${collection}`, channel: 'club', json: { title: 'In the club', n: 1 } },
  // The first of a round gets the slug, the others learn that it is taken.
  { route: `POST ${collection}`, json: { title: 'Again', slug: 'again' } },
  { route: `POST ${collection}`, channel: 'desk', json: { title: 'Mine', slug: null, _acl: null } },
  { route: `POST ${collection}`, headers: [['Idempotency-Key', 'k-~nonce~']], json: { title: 'Once' } },
  {
    route: `POST ${collection}/bulk`,
    channel: 'club',
    json: {
      atomic: false,
      operations: [
        { op: 'create', data: managed },
        { op: 'update', id: '~site.club-bob.id~', if_match: '*', data: { title: 'Bulk', cleared: null } },
        { op: 'delete', id: '~site.club-ann.id~', if_match: '"9.x"' },
        { op: 'update', id: 'nowhere', data: {} },
      ],
    },
  },
  {
    route: `POST ${collection}/bulk`,
    headers: [['Idempotency-Key', 'bulk']],
    json: {
      atomic: true,
      operations: [
        { op: 'create', data: article },
        { op: 'create', data: {} },
      ],
    },
  },
  { route: `GET ${collection}` },
  { route: `GET ${collection}`, channel: 'club', query: 'use_acl=true' },
  { route: `GET ${collection}`, channel: 'desk', headers: [['Prefer', 'count=exact']] },
  { route: `GET ${collection}`, channel: 'safe', headers: [['Prefer', 'count=none']] },
  {
    route: `GET ${collection}`,
    query: 'page=2&per_page=3&sort=-_publish_at,title_field_value',
  },
  {
    route: `GET ${collection}`,
    query: 'sort=slug,-_owner&per_page=250',
  },
  { route: `GET ${collection}`, query: 'cursor=~site.cursor~' },
  {
    route: `GET ${collection}`,
    query: 'q=of -tea OR "at noon"&only=slug,title,_status',
  },
  {
    route: `GET ${collection}`,
    query: `where=${where}&year.gte=1900&tags.in=tea,"no, on"&sort=-year,title`,
  },
  { route: `GET ${collection}`, channel: 'club', query: 'title.starts_with=of %_' },
  { route: `GET ${collection}`, channel: 'links', query: 'include=author,links,next.links' },
  { route: `POST ${collection}`, channel: 'links', json: { author: { id: '~site.news-open.id~' }, links: [] } },
  { route: `GET ${member}`, channel: 'links', entry: '~site.links.id~', query: 'include=links,next.author' },
  { route: `GET ${collection}/count` },
  { route: `GET ${collection}/count`, query: `where=${where}` },
  {
    route: `GET ${collection}/count`,
    channel: 'safe',
    query: 'q=of&title.exists=true&_owner.ne=~site.id.ann~',
  },
  { route: `GET ${collection}/count`, channel: 'safe', query: 'use_acl=1' },
  ...previews,
  ...happened,
  { route: `GET ${member}`, entry: '~site.news-open.id~', query: 'only=title,id' },
  { route: `GET ${member}`, entry: '~site.news-draft.slug~' },
  { route: `GET ${member}`, entry: '~site.news-future.short~', headers: [['If-None-Match', '"1.x", W/"2.y"']] },
  { route: `GET ${member}`, channel: 'club', entry: '~site.club-ann.id~', query: 'use_acl=false' },
  { route: `GET ${member}`, channel: 'desk', entry: '~site.desk-nobody.short~' },
  { route: `GET ${member}`, channel: 'safe', entry: '~site.safe-secret.slug~' },
  { route: `PUT ${member}`, entry: '~site.news-open.id~', json: article },
  { route: `PUT ${member}`, channel: 'club', entry: '~site.club-bob.id~', json: managed },
  { route: `PATCH ${member}`, channel: 'desk', entry: '~site.desk-ann.short~', json: { body: 'New', rating: null } },
  { route: 'GET /openapi.json' },
  { route: `PATCH ${member}`, channel: 'desk', entry: '~site.desk-blind.id~', json: { note: 'seen', slug: null } },
  { route: `PATCH ${member}`, channel: 'desk', entry: '~site.desk-bob.id~', json: { _status: 'published' } },
  ...publishing,
  { route: `PATCH ${member}`, entry: '~site.news-past.id~', headers: [['If-Match', '*']], json: { n: 1 } },
  { route: `DELETE ${member}`, channel: 'desk', entry: '~site.desk-ann-draft.id~' },
  {
    route: `DELETE ${member}`,
    channel: 'club',
    entry: '~site.club-star.short~',
    headers: [['If-Match', '"1.x", "2.y"']],
  },
];

/** Requests that no row of the table takes: the process's state, and methods of every path. */
const others: readonly Draft[] = [
  { ...bare('GET', ['livez']), seed: 'GET /livez' },
  { ...bare('GET', ['readyz']), seed: 'GET /readyz' },
  { ...bare('GET', ['graphql', 'schema.graphql']), seed: 'GET the static schema' },
  { ...bare('GET', ['graphql', 'site', 'schema.graphql']), seed: 'GET the schema of the site' },
  { ...bare('HEAD', ['channels', 'news', 'entries', '~play.news-open.id~']), seed: 'HEAD an entry' },
  { ...bare('HEAD', ['channels', 'news', 'entries']), seed: 'HEAD a list' },
  {
    ...bare('OPTIONS', ['channels', 'news', 'entries']),
    seed: 'OPTIONS a list',
    headers: [
      ['Origin', 'https://example.com'],
      ['Access-Control-Request-Method', 'POST'],
      ['Access-Control-Request-Headers', 'authorization,session-token'],
    ],
  },
];

function bare(method: string, path: readonly string[]): Omit<Draft, 'seed'> {
  return { method, path, query: [], headers: [], body: null };
}

/** The requests of the REST door in a site. */
export function restSeeds(site: 'vault' | 'play'): Draft[] {
  const own = (text: string): string => text.replaceAll('~site.', `~${site}.`);
  const drafts = samples.map(({ route, channel = 'news', entry = '', query = '', headers = [], json }): Draft => {
    const [method = '', pattern = ''] = route.split(' ');
    const path = own(
      pattern
        .replace(':channel', channel)
        .replace(':entry', entry)
        .replace(':customer', '~site.id.other~')
        .replace(':session', '~site.spare.session~')
        .replace(':token', '~site.spare.token~')
        .replace(':user', method === 'DELETE' ? '~site.dropped.member~' : '~site.spare.member~')
        .replace(':invitation', method === 'DELETE' ? '~site.dropped.invitation~' : '~site.spare.invitation~')
        .replace(':role', method === 'DELETE' ? '~site.dropped.role~' : '~site.spare.role~')
        .replace(':webhook', method === 'DELETE' ? '~site.dropped.webhook~' : '~site.spare.webhook~')
        .replace(':delivery', '~site.spare.delivery~'),
    )
      .slice(1)
      .split('/');
    const body = json === undefined ? null : { json: JSON.parse(own(JSON.stringify(json))) as unknown };
    const type: Pair[] = body === null ? [] : [['Content-Type', 'application/json']];
    const sent = headers.map(([name, value]): Pair => [name, own(value)]);
    const encodedQuery = query.split('&').flatMap((parameter): Pair[] => {
      const [, name = '', value = ''] = /^(.*?)=(.*)$/.exec(parameter) ?? [];
      return name === '' ? [] : [[name, encodeURIComponent(own(value))]];
    });
    return { seed: route, method, path, query: encodedQuery, headers: [...type, ...sent], body };
  });
  return [...drafts, ...others, ...pageSeeds];
}

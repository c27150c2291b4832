// The ladders of refusals of management in REST, of the OpenAPI document, and of paths that are not there. What all doors of REST read
// in the same way is tried whole at one of them, and in part at the others.
import { callerKind, fault, member, parameter, pathPiece, sentHeader, type Fault } from './refusals.faults.ts';
import {
  body,
  credentials,
  guards,
  keyReused,
  mediaType,
  method,
  misunderstood,
  otherCredentials,
  query,
  rates,
  refused,
  refusedVisitor,
  site,
  storable,
  wire,
} from './refusals.pieces.ts';
import type { LadderText } from './refusals.ts';

/** The lines of a piece whose faults are named. */
function only(piece: string, ...faults: string[]): string {
  const lines = piece.split('\n').filter((line) => faults.includes(line.split('|', 1)[0]?.trim() ?? ''));
  if (lines.length !== faults.length) throw new Error(`Not all of these are lines: ${faults.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

/** A route: a request, the status of its answer, the methods of the path, who may ask, and the piece of its path that may not be there. */
type Row = [
  request: string,
  route: string,
  answers: number,
  allow: string,
  who: 'master' | 'user' | 'all',
  missing: string,
  json?: object,
];

const channel = 'GET+PATCH+DELETE+HEAD+OPTIONS';
const rows: Row[] = [
  ['GET /channels', '/channels', 200, 'GET+POST+HEAD+OPTIONS', 'all', ''],
  ['POST /channels', '/channels', 201, 'GET+POST+HEAD+OPTIONS', 'master', '', { id: 'made' }],
  ['GET /channels/articles', '/channels/:channel', 200, channel, 'all', 'channel articles'],
  ['DELETE /channels/spare?confirm=spare', '/channels/:channel', 204, channel, 'master', 'channel spare'],
  [
    'GET /channels/articles/acl-preview?read=none',
    '/channels/:channel/acl-preview',
    200,
    'GET+HEAD+OPTIONS',
    'user',
    'channel articles',
  ],
  ['GET /channels/articles/rights', '/channels/:channel/rights', 200, 'GET+HEAD+OPTIONS', 'all', 'channel articles'],
  ['GET /customers', '/customers', 200, 'GET+POST+HEAD+OPTIONS', 'master', ''],
  ['POST /customers', '/customers', 201, 'GET+POST+HEAD+OPTIONS', 'master', '', { name: 'New' }],
  ['GET /customers/{customer}', '/customers/:customer', 200, 'GET+PATCH+HEAD+OPTIONS', 'master', 'customer {customer}'],
  [
    'PATCH /customers/{customer}',
    '/customers/:customer',
    200,
    'GET+PATCH+HEAD+OPTIONS',
    'master',
    'customer {customer}',
    { name: 'New' },
  ],
  [
    'GET /customers/{customer}/sessions',
    '/customers/:customer/sessions',
    200,
    'GET+POST+HEAD+OPTIONS',
    'master',
    'customer {customer}',
  ],
  [
    'POST /customers/{customer}/sessions',
    '/customers/:customer/sessions',
    201,
    'GET+POST+HEAD+OPTIONS',
    'master',
    'customer {customer}',
    {},
  ],
  ['DELETE /sessions/{session}', '/sessions/:session', 204, 'DELETE+OPTIONS', 'master', 'session {session}'],
  ['GET /members', '/members', 200, 'GET+HEAD+OPTIONS', 'user', ''],
  ['GET /members/{member}', '/members/:user', 200, channel, 'user', 'member {member}'],
  ['PATCH /members/{member}', '/members/:user', 200, channel, 'master', 'member {member}', { roles: ['news'] }],
  ['DELETE /members/{member}', '/members/:user', 204, channel, 'master', 'member {member}'],
  ['GET /invitations', '/invitations', 200, 'GET+POST+HEAD+OPTIONS', 'user', ''],
  [
    'POST /invitations',
    '/invitations',
    201,
    'GET+POST+HEAD+OPTIONS',
    'master',
    '',
    { email: 'guest@example.com', roles: ['news'] },
  ],
  [
    'GET /invitations/{invitation}',
    '/invitations/:invitation',
    200,
    'GET+DELETE+HEAD+OPTIONS',
    'user',
    'invitation {invitation}',
  ],
  [
    'DELETE /invitations/{invitation}',
    '/invitations/:invitation',
    204,
    'GET+DELETE+HEAD+OPTIONS',
    'master',
    'invitation {invitation}',
  ],
  ['GET /roles', '/roles', 200, 'GET+POST+HEAD+OPTIONS', 'user', ''],
  ['POST /roles', '/roles', 201, 'GET+POST+HEAD+OPTIONS', 'master', '', { id: 'made', rights: ['read'] }],
  ['GET /roles/news', '/roles/:role', 200, channel, 'user', 'role news'],
  ['PATCH /roles/news', '/roles/:role', 200, channel, 'master', 'role news', { rights: ['read'] }],
  ['DELETE /roles/news?confirm=news', '/roles/:role', 204, channel, 'master', 'role news'],
  ['GET /tokens', '/tokens', 200, 'GET+POST+HEAD+OPTIONS', 'master', ''],
  ['POST /tokens', '/tokens', 201, 'GET+POST+HEAD+OPTIONS', 'master', '', { kind: 'public' }],
  ['DELETE /tokens/{token}', '/tokens/:token', 204, 'DELETE+OPTIONS', 'master', 'token {token}'],
  ['GET /audit', '/audit', 200, 'GET+HEAD+OPTIONS', 'master', ''],
  ['GET /webhooks', '/webhooks', 200, 'GET+POST+HEAD+OPTIONS', 'master', ''],
  [
    'POST /webhooks',
    '/webhooks',
    201,
    'GET+POST+HEAD+OPTIONS',
    'master',
    '',
    { url: 'https://1.1.1.1', enabled: false },
  ],
  ['GET /webhooks/{webhook}', '/webhooks/:webhook', 200, channel, 'master', 'webhook {webhook}'],
  [
    'PATCH /webhooks/{webhook}',
    '/webhooks/:webhook',
    200,
    channel,
    'master',
    'webhook {webhook}',
    { types: ['entry.created'] },
  ],
  [
    'POST /webhooks/{webhook}/rotate-secret',
    '/webhooks/:webhook/rotate-secret',
    200,
    'POST+OPTIONS',
    'master',
    'webhook {webhook}',
    {},
  ],
  ['POST /webhooks/{webhook}/test', '/webhooks/:webhook/test', 200, 'POST+OPTIONS', 'master', 'webhook {webhook}', {}],
  [
    'GET /webhooks/{webhook}/deliveries',
    '/webhooks/:webhook/deliveries',
    200,
    'GET+HEAD+OPTIONS',
    'master',
    'webhook {webhook}',
  ],
  [
    'POST /webhooks/{webhook}/deliveries/{delivery}/redeliver',
    '/webhooks/:webhook/deliveries/:delivery/redeliver',
    200,
    'POST+OPTIONS',
    'master',
    'delivery {delivery}',
    {},
  ],
  ['DELETE /webhooks/{webhook}', '/webhooks/:webhook', 204, channel, 'master', 'webhook {webhook}'],
];

/** Whether nothing of a body is read, though one is taken: what is in it does not matter. */
const takesNothing = (path: string): boolean => /\/(test|redeliver)$/.test(path);

/** A thing that is not there; a deletion is confirmed with its name. */
function missingThing(noun: string, piece: string, other: string): Fault {
  const named = pathPiece(`no such ${noun}`, new RegExp(`There is no such ${noun}`), piece, other);
  return fault(named.name, named.says, named.parts, (asked) => {
    named.spoil(asked);
    asked.query = asked.query.map((each) => each.replace(`confirm=${piece}`, `confirm=${other}`));
  });
}

function ladderOf([request, route, answers, allow, who, missing, json]: Row): LadderText {
  const [verb = '', target = ''] = request.split(' ');
  const [path = '', ...parameters] = target.split('?');
  const [noun = '', piece = ''] = missing.split(' ');
  const other = piece.startsWith('{') ? '00000000-0000-7000-8000-000000000000' : 'nowhere';
  const accept = verb === 'PATCH' ? 'Accept-Patch=application/json+application/merge-patch+json' : '';
  const isWrite = verb !== 'GET';
  const read = json === undefined ? '' : mediaType(accept) + only(body, 'body too large', 'malformed JSON');
  const conditional = ['PATCH', 'DELETE'].includes(verb);
  const ladder = [
    ...[
      guards,
      method(allow),
      only(credentials, 'no token', 'unknown token', 'mistyped session'),
      read,
      only(query, 'unknown parameter', 'use_acl'),
    ],
    ...[isWrite ? misunderstood('Idempotency-Key') : '', conditional ? misunderstood('malformed If-Match') : ''],
    ...[
      json === undefined || takesNothing(path) ? '' : only(storable, 'NUL'),
      only(site, 'no site', "another's site"),
      only(rates, 'token spent', 'visitor spent'),
    ],
    ...[isWrite ? keyReused : '', who === 'all' ? '' : refusedVisitor('kind of caller', 403, 'forbidden')],
    ...[
      noun === '' ? '' : refused(`no such ${noun}`, 404, 'not_found'),
      conditional ? refused('stale If-Match', 412, 'precondition_failed') : '',
    ],
  ];
  const own = [
    sentHeader('stale If-Match', /This has no entity tags/, 'If-Match', '"99.x"'),
    callerKind('kind of caller', /This operation needs a master/, 'public'),
    ...(noun === '' ? [] : [missingThing(noun, piece, other)]),
  ];
  const usual = { method: verb, path, query: parameters, ...(json !== undefined && { json }) };
  return { door: request, routes: [`${verb} ${route}`, `* ${route}`], usual, answers, own, ladder: ladder.join('') };
}

/** Who the caller is: the site may be left out. */
const me: LadderText = {
  door: 'GET /me',
  routes: ['GET /me', '* /me'],
  usual: { method: 'GET', path: '/me' },
  answers: 200,
  own: [],
  ladder: [
    guards,
    method('GET+HEAD+OPTIONS'),
    only(credentials, 'no token', 'unknown token', 'mistyped session'),
    only(query, 'unknown parameter', 'use_acl'),
    only(site, "another's site"),
    only(rates, 'token spent', 'visitor spent'),
  ].join(''),
};

const updateChannel: LadderText = {
  door: 'PATCH /channels/articles',
  routes: ['PATCH /channels/:channel'],
  usual: { method: 'PATCH', path: '/channels/articles', json: { name: 'Articles' } },
  answers: 200,
  own: [
    sentHeader('stale If-Match', /This has no entity tags/, 'If-Match', '"99.x"'),
    member('member that does not fit', /nonsense/, 'nonsense', 1),
  ],
  ladder:
    wire +
    guards +
    method(channel) +
    credentials +
    mediaType('Accept-Patch=application/json+application/merge-patch+json') +
    body +
    query +
    misunderstood('Idempotency-Key', 'malformed If-Match') +
    storable +
    site +
    rates +
    keyReused +
    refusedVisitor('kind of caller', 403, 'forbidden') +
    refused('no such channel', 404, 'not_found') +
    refused('stale If-Match', 412, 'precondition_failed') +
    refused('member that does not fit', 422, 'validation_failed'),
};

const endSession: LadderText = {
  door: 'DELETE /session',
  routes: ['DELETE /session', '* /session'],
  usual: { method: 'DELETE', path: '/session' },
  // Nobody is signed in.
  answers: 401,
  own: [fault('no session', /Session-Token is needed/, [], () => undefined)],
  ladder:
    guards +
    method('DELETE+OPTIONS') +
    credentials +
    query +
    misunderstood('Idempotency-Key', 'malformed If-Match') +
    site +
    rates +
    keyReused +
    '  no session | 401 | unauthenticated | address 1 token 1 | WWW-Authenticate=Bearer RateLimit=token\n',
};

const openapi: LadderText = {
  door: 'GET /openapi.json',
  routes: ['GET /openapi.json', '* /openapi.json'],
  usual: { path: '/openapi.json' },
  answers: 200,
  ladder: wire + guards + method('GET+HEAD+OPTIONS') + otherCredentials + query + site + rates,
};

/** Without credentials everybody gets a document. */
const openapiForNobody: LadderText = {
  door: 'GET /openapi.json of nobody',
  routes: [],
  usual: { path: '/openapi.json', caller: { token: 'absent' } },
  answers: 200,
  ladder:
    wire +
    guards +
    method('GET+HEAD+OPTIONS') +
    misunderstood('query encoding', 'token in the URL', 'repeated parameter', 'unknown parameter', 'no host name'),
};

/** The router would refuse such a path before the credentials are looked at. */
const badPath: LadderText = {
  door: 'GET of a path that is not percent-encoded UTF-8',
  routes: [],
  usual: { path: '/channels/articles/entries' },
  answers: 200,
  ladder: wire + guards + credentials + misunderstood('path encoding', 'query encoding', 'use_acl') + site + rates,
};

const badPathMethod: LadderText = {
  door: 'another method of such a path',
  routes: [],
  usual: { method: 'POST', path: '/channels/articles/entries', json: {} },
  answers: 201,
  own: [parameter('unknown parameter', /is not a parameter here/, 'nonsense=1')],
  ladder:
    misunderstood('path encoding') + method('POST+GET+HEAD+OPTIONS') + mediaType() + misunderstood('malformed JSON'),
};

const nowhere: LadderText = {
  door: 'GET /nowhere',
  routes: [],
  usual: { path: '/nowhere' },
  answers: 404,
  ladder: `${wire + guards}  nothing there | 404 | not_found | address 1 | RateLimit=address\n`,
};

export const managedLadders: readonly LadderText[] = [
  ...rows.map(ladderOf),
  ...[me, updateChannel, endSession, openapi, openapiForNobody, badPath, badPathMethod, nowhere],
];

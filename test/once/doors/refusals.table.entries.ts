// The ladders of refusals of entries and of the feed in REST. A ladder is read from its first line down.
import { both, callerKind, fault, member, parameter, pathPiece, sentHeader } from './refusals.faults.ts';
import {
  body,
  credentials,
  guards,
  keyReused,
  mediaType,
  method,
  misunderstood,
  optionalBody,
  query,
  rates,
  refused,
  refusedVisitor,
  site,
  storable,
  wire,
} from './refusals.pieces.ts';
import type { LadderText } from './refusals.ts';

const collection = '/channels/:channel/entries';
const entry = `${collection}/:entry`;
const patchTypes = 'Accept-Patch=application/json+application/merge-patch+json';

const misfit = member('member that does not fit', /_status: Invalid option/, '_status', 'live');
const stale = sentHeader('stale If-Match', /does not have a version/, 'If-Match', '"99.x"');
const preview = both(parameter('preview', /may read as somebody else/, 'as=anonymous'), callerKind('', /./, 'public'));
const large = pathPiece('answer too large', /would be larger|larger than/, 'articles', 'large');

const front = (allow: string): string => wire + guards + method(allow) + credentials;
const ofChannel = 'GET+HEAD+OPTIONS';
const ofEntry = 'GET+PUT+PATCH+DELETE+HEAD+OPTIONS';

const create: LadderText = {
  door: 'POST /channels/articles/entries',
  routes: [`POST ${collection}`, `* ${collection}`],
  usual: { method: 'POST', path: '/channels/articles/entries', json: {} },
  answers: 201,
  own: [
    misfit,
    member('slug taken', /slug/, 'slug', 'one'),
    callerKind('may not create', /may not create entries/, 'public'),
  ],
  ladder:
    front('POST+GET+HEAD+OPTIONS') +
    mediaType() +
    body +
    query +
    misunderstood('Idempotency-Key') +
    storable +
    site +
    rates +
    keyReused +
    refused('no such channel', 404, 'not_found') +
    refusedVisitor('may not create', 403, 'forbidden') +
    refused('member that does not fit', 422, 'validation_failed') +
    refused('slug taken', 409, 'conflict'),
};

const updates = ['PUT', 'PATCH'].map((verb): LadderText => ({
  door: `${verb} /channels/articles/entries/one`,
  routes: [`${verb} ${entry}`, `* ${entry}`],
  usual: { method: verb, path: '/channels/articles/entries/one', json: { title: 'one' } },
  answers: 200,
  own: [
    misfit,
    member('slug taken', /slug/, 'slug', 'two'),
    callerKind('may not update', /may not update the entry/, 'public'),
    stale,
  ],
  ladder:
    front(ofEntry) +
    mediaType(verb === 'PATCH' ? patchTypes : '') +
    body +
    query +
    misunderstood('Idempotency-Key') +
    storable +
    misunderstood('malformed If-Match') +
    site +
    rates +
    keyReused +
    refused('no such channel', 404, 'not_found') +
    refused('no such entry', 404, 'not_found') +
    refusedVisitor('hidden entry', 404, 'not_found') +
    refusedVisitor('may not update', 403, 'forbidden') +
    refused('stale If-Match', 412, 'precondition_failed') +
    refused('member that does not fit', 422, 'validation_failed') +
    refused('slug taken', 409, 'conflict'),
}));

const remove: LadderText = {
  door: 'DELETE /channels/articles/entries/one',
  routes: [`DELETE ${entry}`],
  usual: { method: 'DELETE', path: '/channels/articles/entries/one' },
  answers: 204,
  own: [callerKind('may not delete', /may not delete the entry/, 'public'), stale],
  ladder:
    front(ofEntry) +
    query +
    misunderstood('Idempotency-Key', 'malformed If-Match') +
    site +
    rates +
    keyReused +
    refused('no such channel', 404, 'not_found') +
    refused('no such entry', 404, 'not_found') +
    refusedVisitor('hidden entry', 404, 'not_found') +
    refusedVisitor('may not delete', 403, 'forbidden') +
    refused('stale If-Match', 412, 'precondition_failed'),
};

const publications = ['publish', 'unpublish'].map((verb): LadderText => ({
  door: `POST /channels/articles/entries/one/${verb}`,
  routes: [`POST ${entry}/${verb}`, `* ${entry}/${verb}`],
  usual: { method: 'POST', path: `/channels/articles/entries/one/${verb}`, json: {} },
  // The channel is not publishable.
  answers: 409,
  own: [
    member('unknown member', /not a member of this request/, 'status', 'live'),
    callerKind('kind of caller', /needs a master or a user token/, 'public'),
    stale,
    fault('not publishable', /not publishable/, [], () => undefined),
  ],
  ladder:
    front('POST+OPTIONS') +
    mediaType() +
    optionalBody +
    query +
    misunderstood('Idempotency-Key') +
    storable +
    misunderstood('malformed If-Match') +
    site +
    rates +
    keyReused +
    refusedVisitor('kind of caller', 403, 'forbidden') +
    refused('no such channel', 404, 'not_found') +
    refused('no such entry', 404, 'not_found') +
    refused('stale If-Match', 412, 'precondition_failed') +
    refused('unknown member', 422, 'validation_failed') +
    refused('not publishable', 409, 'conflict'),
}));

const fetch: LadderText = {
  door: 'GET /channels/articles/entries/one',
  routes: [`GET ${entry}`],
  usual: { path: '/channels/articles/entries/one' },
  answers: 200,
  own: [
    parameter('selection', /only/, 'only='),
    parameter('NUL in a parameter', /holds a NUL/, 'include=%00'),
    large,
    preview,
  ],
  ladder:
    front(ofEntry) +
    query +
    misunderstood('NUL in a parameter') +
    site +
    rates +
    refusedVisitor('preview', 403, 'forbidden') +
    refused('no such channel', 404, 'not_found') +
    refused('selection', 400, 'bad_request') +
    refused('no such entry', 404, 'not_found') +
    refusedVisitor('hidden entry', 404, 'not_found') +
    refused('answer too large', 400, 'answer_too_large'),
};

const explain: LadderText = {
  door: 'GET /channels/articles/entries/one/access',
  routes: [`GET ${entry}/access`, `* ${entry}/access`],
  usual: { path: '/channels/articles/entries/one/access', query: ['as=anonymous'] },
  answers: 200,
  own: [callerKind('kind of caller', /needs a master or a user token/, 'public')],
  ladder:
    front(ofChannel) +
    query +
    site +
    rates +
    refusedVisitor('kind of caller', 403, 'forbidden') +
    refused('no such channel', 404, 'not_found') +
    refused('no such entry', 404, 'not_found'),
};

const lists = ['', '/count'].map((end): LadderText => ({
  door: `GET /channels/articles/entries${end}`,
  routes: [`GET ${collection}${end}`, ...(end === '' ? [] : [`* ${collection}${end}`])],
  usual: { path: `/channels/articles/entries${end}` },
  answers: 200,
  own: [
    parameter('argument', /page|sort/, end === '' ? 'page=0' : 'page=1'),
    parameter('NUL in a parameter', /holds a NUL/, 'where=%00'),
    both(
      parameter('filter', /year/, 'year=soon'),
      fault('', /./, ['path:articles'], () => undefined),
    ),
    ...[large, preview],
  ],
  ladder:
    front(end === '' ? 'POST+GET+HEAD+OPTIONS' : ofChannel) +
    misunderstood(
      'query encoding',
      'token in the URL',
      'repeated parameter',
      'use_acl',
      'NUL in a parameter',
      'argument',
    ) +
    site +
    rates +
    refusedVisitor('preview', 403, 'forbidden') +
    refused('no such channel', 404, 'not_found') +
    refused('filter', 400, 'bad_request') +
    (end === '' ? refused('answer too large', 400, 'answer_too_large') : ''),
}));

const bulk: LadderText = {
  door: 'POST /channels/articles/entries/bulk',
  routes: [`POST ${collection}/bulk`, `* ${collection}/bulk`],
  usual: {
    method: 'POST',
    path: '/channels/articles/entries/bulk',
    json: { operations: [{ op: 'create', data: {} }] },
  },
  answers: 200,
  own: [member('argument', /operations must be an array/, 'operations', 1), member('other member', /more/, 'more', 1)],
  ladder:
    front('POST+OPTIONS') +
    mediaType() +
    body +
    query +
    misunderstood('Idempotency-Key') +
    storable +
    misunderstood('other member', 'argument') +
    site +
    rates +
    keyReused +
    refused('no such channel', 404, 'not_found'),
};

const changes = ['/channels/articles/changes', '/changes'].flatMap((path): LadderText[] => {
  const route = path.replace('articles', ':channel');
  const noCursor = parameter('no cursor', /cursor/, 'after=nonsense');
  const nul = parameter('NUL in a parameter', /holds a NUL/, 'types=%00');
  const channel = path === '/changes' ? '' : refused('no such channel', 404, 'not_found');
  const full = {
    name: 'streams open',
    says: /streams and long polls open/,
    parts: ['rate', 'token=good', 'caller=master', 'session', 'service'],
  };
  const spoil: (typeof noCursor)['spoil'] = ({ before }) => void before.push('stream open');
  const held = '  streams open | 429 | rate_limited | address 1 token 1 | Retry-After=5 RateLimit=token\n';
  const later = site + rates + channel + refused('no cursor', 400, 'bad_request');
  const own = [parameter('argument', /limit/, 'limit=0'), nul, noCursor, { ...full, spoil }];
  return [
    {
      door: `GET ${path}`,
      routes: [`GET ${route}`, `* ${route}`],
      usual: { path },
      answers: 200,
      own,
      ladder: front(ofChannel) + query + misunderstood('NUL in a parameter', 'argument') + later,
    },
    {
      door: `GET ${path} that waits`,
      routes: [],
      usual: { path, query: ['after=now'], headers: [['Prefer', 'wait=1']] },
      answers: 200,
      own: own.filter((each) => each !== noCursor),
      ladder:
        front(ofChannel) + query + misunderstood('NUL in a parameter', 'argument') + site + rates + channel + held,
    },
    {
      door: `GET ${path} as a stream`,
      routes: [],
      usual: { path, headers: [['Accept', 'text/event-stream']] },
      answers: 200,
      own,
      ladder: front(ofChannel) + query + misunderstood('argument', 'NUL in a parameter') + later + held,
    },
  ];
});

export const entryLadders: readonly LadderText[] = [
  create,
  ...updates,
  ...publications,
  fetch,
  explain,
  ...lists,
  bulk,
  ...changes,
];

/** It deletes what the others are about. */
export const lastLadders: readonly LadderText[] = [remove];

// The judge itself: answers that it must reject, and answers that it must accept. Without this, a fuzzer without
// findings would prove nothing.
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { viewsOf } from '../../both/fuzz/callers.ts';
import { judge, type Answer, type Circumstances } from '../../both/fuzz/judge.ts';
import type { Pair, Wire } from '../../both/fuzz/request.ts';
import { fill } from '../../both/fuzz/send.ts';

const hidden = 'cnryaaaaaaaaaa';
const shown = 'cnrybbbbbbbbbb';
const circumstances: Circumstances = {
  world: {
    values: new Map(),
    canaries: new Map([
      [hidden, { where: 'vault: a draft', seenBy: new Set(['S'] as const) }],
      [shown, { where: 'vault: an entry', seenBy: new Set(['V', 'S'] as const) }],
    ]),
    vault: 'v',
    play: 'p',
  },
  production: true,
  told: new Set(),
};

const visitor: Pair[] = [['Authorization', 'Bearer ~vault.public~']];
const list: Wire = {
  seed: '',
  steps: [],
  method: 'GET',
  target: '/channels/news/entries',
  headers: visitor,
  body: null,
};
const query: Wire = { ...list, method: 'POST', target: '/graphql' };

function answer(status: number, body: unknown, type = 'application/json', requestId = 'r'): Answer {
  const headers = new Headers({ 'Content-Type': type, ...(requestId !== '' && { 'X-Request-Id': requestId }) });
  return { status, headers, text: typeof body === 'string' ? body : JSON.stringify(body), took: 1 };
}

/** A redirect. */
function answerTo(location: string): Answer {
  const given = answer(302, '');
  given.headers.set('Location', location);
  return given;
}

const rules = (wire: Wire, given: Answer, sent = '', production = true): string[] =>
  judge(wire, { wire, sent }, given, { ...circumstances, production }).map(({ rule }) => rule);

const problem = { type: 'urn:x', title: 'T', status: 404, detail: 'D', code: 'not_found', request_id: 'r' };

test.each([
  ['a list', list, answer(200, [{ title: shown }])],
  ['a refusal', list, answer(404, problem, 'application/problem+json')],
  ['nothing', { ...list, method: 'DELETE' }, answer(204, '')],
  ['data', query, answer(200, { data: { entry: { slug: shown } } })],
  ['errors', query, answer(200, { data: null, errors: [{ message: 'M', extensions: { code: 'C', requestId: 'r' } }] })],
])('the judge accepts %s', (_name, wire, given) => {
  expect(rules(wire, given)).toEqual([]);
});

test.each([
  ['a failure', 'status', list, answer(500, { ...problem, status: 500 }, 'application/problem+json')],
  [
    'a failure behind 200',
    'status',
    query,
    answer(
      200,
      '{"data":null,"errors":[{"message":"M","extensions":{"code":"INTERNAL_SERVER_ERROR","requestId":"r"}}]}',
    ),
  ],
  ['a canary', 'canary', list, answer(200, [{ title: `Of ${hidden}` }])],
  ['a canary in capitals', 'canary', query, answer(200, { data: { a: hidden.toUpperCase() } })],
  [
    'a canary in a cursor',
    'canary',
    query,
    answer(200, { data: { a: Buffer.from(`12345678["x",["${hidden}"]]`).toString('base64url') } }),
  ],
  ['no request id', 'form', list, answer(200, [], 'application/json', '')],
  ['another request id', 'form', list, answer(404, { ...problem, request_id: 'x' }, 'application/problem+json')],
  ['a page', 'form', list, answer(404, '<html>', 'text/html')],
  ['a refusal that is no problem', 'form', list, answer(404, problem)],
  ['an unknown status', 'form', list, answer(302, [])],
  [
    'an error without a code',
    'form',
    query,
    answer(200, { errors: [{ message: 'M', extensions: { requestId: 'r' } }] }),
  ],
  [
    'a suggestion',
    'form',
    query,
    answer(400, { errors: [{ message: 'Did you mean x?', extensions: { code: 'C', requestId: 'r' } }] }),
  ],
  ['slowness', 'hang', list, { ...answer(200, []), took: 20_001 }],
])('the judge rejects %s', (_name, rule, wire, given) => {
  expect(rules(wire, given)).toContain(rule);
});

test.each([
  ['the start page', '/?x', answer(200, '<html>', 'text/html; charset=utf-8')],
  ['GraphiQL', '/graphql', answer(200, '<html>', 'text/html; charset=utf-8')],
  ['a file of a page', '/pages/assets/x.js', answer(200, 'run()', 'text/javascript; charset=utf-8')],
  ['the way to a page', '/graphql/site', answerTo('../graphql#site')],
])('the judge accepts with pages on, and rejects in production: %s', (_name, target, given) => {
  expect(rules({ ...list, target }, given, '', false)).toEqual([]);
  expect(rules({ ...list, target }, given)).toContain('form');
});

const browser: Pair[] = [...visitor, ['Accept', 'text/html,*/*;q=0.8']];

test('the judge accepts a page for an unknown address from browsers alone, with pages on', () => {
  const missing = answer(404, '<h1>No such page</h1>', 'text/html; charset=utf-8');
  const opened = { ...list, target: '/nowhere', headers: browser };
  expect(rules(opened, missing, '', false)).toEqual([]);
  expect(rules(opened, missing)).toContain('form');
  expect(rules({ ...list, target: '/nowhere' }, missing, '', false)).toContain('form');
  expect(rules({ ...opened, target: '/docs/' }, answerTo('../docs'), '', false)).toEqual([]);
});

test.each([
  ['a page at another path', '/channels', answer(200, '<html>', 'text/html')],
  ['a page where JSON was refused', '/docs', answer(404, '<html>', 'text/html')],
  ['the way to another place', '/graphql/site', answerTo('https://elsewhere.example/')],
])('the judge rejects even with pages on: %s', (_name, target, given) => {
  expect(rules({ ...list, target }, given, '', false)).toContain('form');
});

test('the judge accepts an answer that repeats text of the request', () => {
  expect(rules(list, answer(200, [{ title: hidden }]), `/channels/news/entries/${hidden}`)).toEqual([]);
});

test('the judge decompresses a compressed request before comparing', () => {
  const wire: Wire = { ...query, body: gzipSync('mutation { createToken }').toString('latin1') };
  expect(fill(wire, new Map()).sent).toContain('mutation { createToken }');
  const cut: Wire = { ...query, body: 'no coding' };
  expect(fill(cut, new Map()).sent).toContain('no coding');
});

const bearer = (name: string): Pair => ['Authorization', `Bearer ~${name}~`];
const session = (name: string): Pair => ['Session-Token', `~${name}~`];
const site = (name: string): Pair => ['X-Service-Site', `~${name}.site~`];
const again = (name: string): Pair => ['X-Service-Session-Token', `~${name}~`];

test.each<[string, Pair[], string[]]>([
  ['a visitor', visitor, ['V']],
  ['a customer', [...visitor, session('vault.ann')], ['A']],
  ['a customer by both headers', [...visitor, session('vault.bob'), again('vault.bob')], ['B']],
  ['a user', [bearer('vault.staff'), site('vault')], ['S']],
  ['a user of both sites', [['Authorization', 'bearer ~both.dana~'], site('play')], ['P']],
  ['nobody', [], []],
  ['another site’s session', [...visitor, session('play.ann')], []],
  ['an ended session', [...visitor, session('vault.ended')], []],
  ['two sessions', [...visitor, session('vault.ann'), again('vault.bob')], []],
  ['two tokens', [...visitor, ...visitor], []],
  ['a user without a site', [bearer('vault.staff')], []],
  ['another site', [...visitor, site('play')], []],
  ['a revoked token', [bearer('vault.revoked')], []],
])('the judge derives the caller of %s', (_name, headers, expected) => {
  expect([...viewsOf({ ...list, headers })]).toEqual(expected);
});

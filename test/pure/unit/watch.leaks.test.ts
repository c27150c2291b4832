// The findings of the watch over answers and logs, and its narrow exceptions.
import { describe, expect, test } from '@jest/globals';
import { mintToken } from '../../../src/auth/tokens.ts';
import { findingsIn, type Exchange } from '../../support/watch/exchange.mjs';
import { isStray, tokensIn } from '../../support/watch/patterns.mjs';

const { token: master } = mintToken('master');
const { token: session } = mintToken('session');
const { token: user } = mintToken('user');
const { token: link } = mintToken('link');

function exchange(changes: Partial<Exchange>): Exchange {
  const nothing = { requestHeaders: [], requestBody: '', headers: [], body: '' };
  return { method: 'GET', url: '/channels/a/entries', status: 200, ...nothing, ...changes };
}

const problem = (detail: string, changes: Partial<Exchange> = {}): Exchange =>
  exchange({ status: 400, body: JSON.stringify({ code: 'bad_request', detail }), ...changes });

function minted(query: string, data: unknown, changes: Partial<Exchange> = {}): Exchange {
  return exchange({
    url: '/graphql',
    requestBody: JSON.stringify({ query }),
    body: JSON.stringify({ data }),
    ...changes,
  });
}

describe('tokens', () => {
  test.each([
    ['as they are', `GET /x?token=${master} 200`],
    ['of another kind', `{"msg":"${session}"}`],
    ['cut', master.slice(0, 31)],
    ['percent-encoded', encodeURIComponent(`/a b/${master}`).replaceAll('_', '%5F')],
    ['encoded in each character', [...master].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')],
    ['encoded twice', encodeURIComponent(`%65${master.slice(1)}`)],
    ['beside what is not well encoded', `%zz%${master.replace('_', '%5f')}%`],
  ])('the watch finds tokens %s', (_name, text) => {
    expect(tokensIn(text)).not.toEqual([]);
  });

  test.each([['ew_master_[redacted]'], ['ew_master_…'], ['ew_master_abc'], ['new_master_plan'], ['100 % of ew_user_']])(
    'the watch sees no token in %s',
    (text) => {
      expect(tokensIn(text)).toEqual([]);
    },
  );

  test.each<[string, Exchange]>([
    ['a body', exchange({ body: JSON.stringify([{ title: master }]) })],
    ['a page', exchange({ url: '/graphql', headers: [['content-type', 'text/html']], body: `<p>${master}</p>` })],
    ['a header', exchange({ headers: [['Link', `<http://x/?t=${master}>; rel="next"`]] })],
    ['an error that only says it again', problem(`Unknown: ${master}`, { url: `/x?${master}=1` })],
  ])('the watch finds tokens in %s', (_name, answer) => {
    expect(findingsIn(answer)).toContainEqual(expect.stringContaining('a token in an answer'));
  });
});

test.each([
  ['{"level":50,"msg":"stray rejection","err":{"message":"lost"}}', true],
  ['{"level":60,"err":{"message":"lost"},"msg":"crashed"}', true],
  ['{"level":50,"err":{"message":"planted by a test"},"msg":"stray rejection"}', false],
  ['{"level":30,"msg":"request","path":"/stray rejection"}', false],
])('the watch takes %s for an unhandled rejection: %s', (line, expected) => {
  expect(isStray(line)).toBe(expected);
});

describe('an answer to a call of a command', () => {
  const made = (call: string, body: object, url = '/command'): Exchange =>
    exchange({ method: 'POST', url, requestBody: JSON.stringify({ call }), body: JSON.stringify(body) });

  test("the answer to a command's call may contain the token that it creates, once, and no other may", () => {
    const result = { id: '1', token: master };
    expect(findingsIn(made('createSiteToken', { result }))).toEqual([]);
    expect(findingsIn(made('rotateToken', { result: { token: user } }))).toEqual([]);
    expect(findingsIn(made('createSite', { result: { invitation: { token: link } } }))).toEqual([]);
    expect(findingsIn(made('finishSiteImport', { result: [{ token: link }] }))).toEqual([]);
    for (const other of [
      made('listTokens', { result }),
      made('createSite', { result: { token: link } }),
      made('createUserToken', { result }),
      made('createSiteToken', { result: { ...result, old: master } }),
      made('createSiteToken', { result }, '/channels'),
    ]) {
      expect(findingsIn(other)).toHaveLength(1);
    }
  });
});

describe('an answer of REST that hands out a new token', () => {
  const made = (url: string, body: object, others: Partial<Exchange> = {}): Exchange =>
    exchange({ method: 'POST', url, status: 201, body: JSON.stringify(body), ...others });

  test('a REST answer that creates a token may contain it, once, and no other may', () => {
    expect(findingsIn(made('/tokens', { token: master }))).toEqual([]);
    expect(findingsIn(made('/customers/ada/sessions', { token: session }))).toEqual([]);
    expect(findingsIn(made('/invitations', { url: `http://x/#${link}` }))).toEqual([]);
    for (const other of [
      made('/tokens', { token: session }),
      made('/tokens', { token: user }),
      made('/tokens/1', { token: master }),
      made('/tokens', { url: `http://x/#${link}` }),
      made('/tokens', { name: master }),
      made('/tokens', { token: master, name: master }),
      made('/tokens', { token: master }, { status: 200 }),
      made('/tokens', { token: master }, { method: 'GET' }),
      made('/tokens', { token: master }, { requestBody: master }),
      made('/customers/ada/sessions', { token: master }),
      made('/customers/ada', { token: session }),
    ]) {
      expect(findingsIn(other)).toContainEqual(expect.stringContaining('a token in an answer'));
    }
  });
});

describe('an answer that hands out a new token', () => {
  test('an answer that creates a token may contain it', () => {
    const answer = { createToken: { id: '1', token: master }, again: { token: session } };
    expect(findingsIn(minted('mutation { createToken { token } again: createSession { token } }', answer))).toEqual([]);
    const invited = { inviteMember: { url: `http://x/#${link}` } };
    expect(findingsIn(minted('mutation { inviteMember { url } }', invited))).toEqual([]);
  });

  test.each<[string, Exchange]>([
    ['where none is made', minted('{ tokens { id } }', { tokens: { token: master } })],
    ['of another kind', minted('mutation { createSession { token } }', { createSession: { token: master } })],
    ['of a user', minted('mutation { createToken { token } }', { createToken: { token: user } })],
    ['as another member', minted('mutation { createToken { name } }', { createToken: { name: master } })],
    ['deeper down', minted('mutation { createToken { a } }', { createToken: { a: { token: master } } })],
    ['a second time', minted('mutation { createToken { token } }', { createToken: { token: master, name: master } })],
    [
      'that was sent',
      minted(`mutation { createToken(name: "${master}") { token } }`, { createToken: { token: master } }),
    ],
    [
      'with an error',
      minted('mutation { createToken { token } }', { createToken: { token: master } }, { status: 400 }),
    ],
    ['over REST', minted('createToken', { createToken: { token: master } }, { url: '/channels' })],
  ])('an answer may not contain a new token %s', (_name, answer) => {
    expect(findingsIn(answer)).toContainEqual(expect.stringContaining('a token in an answer'));
  });
});

const telling = [
  ['SQL', 'SELECT e.id\nFROM entries e'],
  ['SQL', 'INSERT INTO things'],
  ['SQL', 'UPDATE things SET a'],
  ['SQL', 'duplicate key value violates unique constraint "x"'],
  ['SQL', 'syntax error at or near "x"'],
  ['SQL', 'column "x" does not exist'],
  ['SQL', 'invalid input syntax for type uuid'],
  ['SQL', 'canceling statement due to statement timeout'],
  ['a name of the database', 'entries_pkey'],
  ['a name of the database', 'the column site_id'],
  ['a name of the database', 'siteId_id'],
  ['a name of the database', 'read_grant'],
  ['a name of the database', 'entryway_fold'],
  ['a stack', 'Error: no\n    at run (internal:1:2)'],
  ['a stack', 'see entries.ts:12'],
  ['a stack', 'at Object.resolve (<anonymous>)'],
  ['a path of the machine', '/home/ada/entryway/x'],
  ['a path of the machine', 'in (/tmp/x)'],
  ['a path of the machine', 'C:\\Users'],
  ['a path of the machine', 'node_modules'],
  ['the name of a library', 'PrismaClient'],
  ['the name of a library', 'x-apollo-operation-name'],
  ['the name of a library', 'PGlite is closed'],
  ['the name of a library', 'the PostgreSQL server'],
  ['the name of a library', 'a Zod issue'],
  ['an error of the code', 'TypeError: x'],
  ['an error of the code', 'P2002'],
  ['an error of the code', 'connect ECONNREFUSED'],
  ['an error of the code', 'Cannot read properties of undefined'],
  ['an error of the code', 'Unexpected token } in JSON'],
];

describe('errors', () => {
  test.each(telling)('the watch finds that errors reveal %s: %s', (kind, text) => {
    const found = expect.stringContaining(`${kind} in an error`);
    expect(findingsIn(problem(text))).toContainEqual(found);
    expect(findingsIn(exchange({ status: 500, body: text }))).toContainEqual(found);
    expect(findingsIn(exchange({ status: 404, headers: [['X-Reason', text]] }))).toContainEqual(found);
    const errors = [{ message: 'No.', extensions: { errors: [{ field: 'a', message: text }] } }];
    const answer = exchange({ url: '/graphql', body: JSON.stringify({ data: null, errors }) });
    expect(findingsIn(answer)).toContainEqual(found);
  });

  test.each([
    ['The title is too long.'],
    ['short_id, created_at, title_field_value and _status can be sorted by.'],
    ['did you mean "title_field"?'],
    ['Select one from the list, update the set, or delete it.'],
    ['The channel articles has no entry at this path: /channels/articles/entries/x.'],
    ['Send apollo-require-preflight.'],
    ['There is nothing at this path; meet at noon (or later).'],
  ])('the watch lets an error say: %s', (text) => {
    expect(findingsIn(problem(text))).toEqual([]);
  });

  test.each<[string, Partial<Exchange>]>([
    ['a body', { requestBody: '{"Prisma": 1}' }],
    ['an escaped body', { requestBody: String.raw`{"\u0050risma": 1}` }],
    ['a URL', { url: '/channels/a/entries?%50risma=1' }],
    ['a header', { requestHeaders: [['Session-Token', 'prisma']] }],
  ])('the watch lets an error repeat words of the caller, in %s', (_name, request) => {
    expect(findingsIn(problem('"Prisma" is not known', request))).toEqual([]);
    expect(findingsIn(problem('"Prisma" is not known to Express', request))).toEqual([
      'the name of a library in an error: Express',
    ]);
  });

  test('the watch lets no error name the caller’s software or the names of headers', () => {
    const requestHeaders = [
      ['User-Agent', 'undici'],
      ['x-apollo-operation-name', 'a'],
    ] as const;
    expect(findingsIn(problem('undici', { requestHeaders }))).toHaveLength(1);
    expect(findingsIn(problem('x-apollo-operation-name', { requestHeaders }))).toHaveLength(1);
  });

  test('the watch lets content have any words, beside an error too', () => {
    const body = JSON.stringify({ data: { entry: { fields: { text: 'SELECT x FROM entries_pkey' } } }, errors: [{}] });
    expect(findingsIn(exchange({ url: '/graphql', body }))).toEqual([]);
    expect(findingsIn(exchange({ body: '{"errors": ["prisma"]}' }))).toEqual([]);
  });

  test('the watch searches errors and requests however deep they are nested', () => {
    const deep = (text: string): string => `${'['.repeat(50_000)}"${text}"${']'.repeat(50_000)}`;
    expect(findingsIn(exchange({ status: 400, body: deep('prisma') }))).toHaveLength(1);
    expect(findingsIn(exchange({ status: 400, body: '"prisma"', requestBody: deep('\\u0050risma') }))).toEqual([]);
  });

  test('the watch lets no answer name the server', () => {
    expect(findingsIn(exchange({ headers: [['X-Powered-By', 'Express']] }))).toHaveLength(1);
    expect(findingsIn(exchange({ headers: [['Server', 'x']] }))).toHaveLength(1);
  });
});

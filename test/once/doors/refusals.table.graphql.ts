// The ladders of refusals of GraphQL: of both schemas, of streams, and of the texts of the schemas. Refusals of an operation's field
// are answers with 200.
import {
  both,
  callerKind,
  fault,
  field,
  inputMember,
  member,
  parameter,
  sentHeader,
  type Fault,
} from './refusals.faults.ts';
import {
  asGraphql,
  body,
  credentials,
  guards,
  keyReused,
  misunderstood,
  query,
  rates,
  site,
  storable,
  wire,
} from './refusals.pieces.ts';
import type { LadderText } from './refusals.ts';

/** The method comes before the guards, and is not counted. */
const method = (allow: string): string => `  method | 405 | METHOD_NOT_ALLOWED | nothing | Allow=${allow}\n`;
const methods = 'GET+HEAD+POST+OPTIONS';
const front = (allow: string): string => wire + method(allow) + asGraphql(guards + credentials);
const queried = asGraphql(query);
const entered = asGraphql(site + misunderstood('Idempotency-Key'));
const limited = asGraphql(rates);

/** A refusal of the document: before it is counted for the caller. */
const invalid = (name: string, code: string): string => `  ${name} | 400 | ${code} | address 1 | RateLimit=address\n`;
/** A refusal of a field, which was counted for the caller. */
const answered = (name: string, code: string): string =>
  `  ${name} | 200 | ${code} | address 1 token 1 | RateLimit=token\n`;
const toVisitor = (name: string, code: string): string => `  ${name} | 200 | ${code} | visitor 1 | RateLimit=address\n`;

const deep = '{ '.repeat(9).replaceAll('{ ', '{ ofType ') + '{ name }' + ' }'.repeat(9);
/** A fault of the end of the document. */
function tail(name: string, says: RegExp, text: string): Fault {
  return fault(name, says, ['document:tail'], ({ document }) => {
    if (document !== null) document.tail += text;
  });
}

/** A fault of the document's usual field: another one in its place. */
function instead(name: string, says: RegExp, put: string): Fault {
  return fault(name, says, ['document:first'], ({ document }) => {
    if (document !== null) document.fields[0] = put;
  });
}

const documentFaults: readonly Fault[] = [
  tail('long document', /has \d+ characters/, ` #${'x'.repeat(1_200)}`),
  field('many tokens', /lexical tokens/, ...Array.from({ length: 240 }, () => 'x')),
  field('syntax', /Syntax Error/, '!'),
  field('unknown field', /Cannot query field/, 'nonsense'),
  member('unknown operation', /Unknown operation named/, 'operationName', 'Other'),
  field('many fields', /fields at its top/, ...Array.from({ length: 13 }, (_, n) => `a${n}: __typename`)),
  field('many aliases', /aliases, and/, ...Array.from({ length: 7 }, (_, n) => `b${n}: __typename`)),
  field('deep fields', /levels of fields/, `__type(name: "Entry") ${deep}`),
  field(
    'costly fields',
    /fields to resolve/,
    'costly: entries(channel: "articles", first: 250) { nodes { id slug shortId createdAt updatedAt } }',
  ),
];
const limits = ['many fields', 'many aliases', 'deep fields']
  .map((name) => invalid(name, 'QUERY_TOO_COMPLEX'))
  .join('');
const documents =
  invalid('many tokens', 'QUERY_TOO_COMPLEX') +
  invalid('syntax', 'GRAPHQL_PARSE_FAILED') +
  invalid('unknown field', 'GRAPHQL_VALIDATION_FAILED');

const read = asGraphql(body + storable) + invalid('long document', 'QUERY_TOO_COMPLEX');

const createEntry = 'createEntry(channel: "articles", input: $input) { id }';
const mutationFaults: readonly Fault[] = [
  both(
    sentHeader('key for several fields', /exactly one mutation field/, 'Idempotency-Key', 'several'),
    field('second', /./, 'second: __typename deleteEntry(channel: "articles", id: "two")'),
  ),
  inputMember('member that does not fit', /Slug|slug/, 'slug', 'Not a slug'),
  fault(
    'wrong variable',
    /Variable .*\$input/,
    ['json:variables'],
    ({ json }) => void Object.assign(json as object, { variables: { input: 1 } }),
  ),
  inputMember('slug taken', /taken|exists|another/, 'slug', 'one'),
  instead('no such channel', /There is no such channel/, createEntry.replace('articles', 'nowhere')),
  callerKind('may not create', /may not create entries/, 'public'),
];

const mutation: LadderText = {
  door: 'POST /graphql with a mutation',
  routes: ['* /graphql'],
  usual: {
    method: 'POST',
    path: '/graphql',
    json: { variables: { input: {} } },
    document: { head: 'mutation Do($input: EntryInput!)', fields: [createEntry], tail: '' },
  },
  answers: 200,
  own: [...documentFaults, ...mutationFaults],
  ladder:
    front(methods) +
    read +
    queried +
    entered +
    documents +
    limits.replace(/.*deep fields.*\n/, '') +
    invalid('key for several fields', 'BAD_USER_INPUT') +
    limited +
    asGraphql(keyReused) +
    '  wrong variable | 400 | BAD_USER_INPUT | address 1 token 1 | RateLimit=token\n' +
    answered('no such channel', 'NOT_FOUND') +
    toVisitor('may not create', 'FORBIDDEN') +
    answered('member that does not fit', 'BAD_USER_INPUT') +
    answered('slug taken', 'CONFLICT'),
};

const entries = 'entries(channel: "articles") { nodes { id } }';
const queryFaults: readonly Fault[] = [
  fault('subscription', /Subscriptions are streamed|has no subscriptions/, ['document'], ({ document }) => {
    Object.assign(document ?? {}, { head: 'subscription', fields: ['changes { type }'] });
  }),
  instead('no such channel', /There is no such channel/, entries.replace('articles', 'nowhere')),
];
const forbiddenField = field('forbidden field', /needs a master/, 'customers { totalCount }');
const twoFields = '  forbidden field | 200 | FORBIDDEN | visitor 2 | RateLimit=address\n';

const queries = ['/graphql', '/graphql/site'].map((path): LadderText => {
  const isSite = path !== '/graphql';
  const own = [...documentFaults, ...queryFaults];
  return {
    door: `POST ${path} with a query`,
    routes: isSite ? ['* /graphql/site'] : [],
    usual: {
      method: 'POST',
      path,
      json: {},
      document: { head: '', fields: [isSite ? '__typename' : entries], tail: '' },
    },
    answers: 200,
    own: isSite ? own : [...own, both(forbiddenField, callerKind('', /./, 'public'))],
    ladder:
      front(methods) +
      read +
      queried +
      entered +
      documents +
      invalid('unknown operation', 'OPERATION_RESOLUTION_FAILURE') +
      (isSite ? '' : invalid('subscription', 'BAD_USER_INPUT')) +
      limits +
      (isSite ? '' : invalid('costly fields', 'QUERY_TOO_COMPLEX')) +
      limited +
      (isSite ? '' : twoFields + answered('no such channel', 'NOT_FOUND')),
  };
});

const byUrl = ['/graphql', '/graphql/site'].map((path): LadderText => ({
  door: `GET ${path}`,
  routes: [],
  usual: { path, document: { head: '', fields: ['__typename'], tail: '' } },
  answers: 200,
  own: [
    ...documentFaults,
    parameter('variables nested too deep', /nests? deeper/, `variables=${'['.repeat(110)}${']'.repeat(110)}`),
    parameter('variables no JSON', /invalid JSON/, 'variables=%7B'),
    fault(
      'mutation',
      /only perform a .?mutation|GET requests only support query|POST/,
      ['document'],
      ({ document }) => {
        Object.assign(document ?? {}, { head: 'mutation', fields: ['deleteEntry(channel: "articles", id: "two")'] });
      },
    ),
  ],
  ladder:
    front(methods) +
    queried.replace(/.*use_acl.*\n/, '') +
    invalid('variables nested too deep', 'BAD_USER_INPUT') +
    invalid('use_acl', 'BAD_USER_INPUT') +
    entered +
    invalid('variables no JSON', 'BAD_REQUEST') +
    documents +
    (path === '/graphql' ? '  mutation | 405 | BAD_REQUEST | address 1 | Allow=POST RateLimit=address\n' : '') +
    limits +
    limited,
}));

/** What is refused with 400 once the body has been read is the result in a stream. */
const streamed = (lines: string): string =>
  lines.replaceAll(/\| 400 \|.*/g, (line) => line.replace('400', '200') + ' Connection=close');

const stream: LadderText = {
  door: 'POST /graphql/stream',
  routes: ['* /graphql/stream'],
  usual: {
    method: 'POST',
    path: '/graphql/stream',
    json: {},
    document: { head: 'subscription', fields: ['changes { type }'], tail: '' },
  },
  answers: 200,
  own: [
    ...documentFaults.filter(({ name }) => !['many aliases', 'many fields'].includes(name)),
    sentHeader('accept', /accept it, or send/, 'Accept', 'application/json'),
    instead('no cursor', /cursor/, 'changes(after: "nonsense") { type }'),
    fault(
      'streams open',
      /streams and long polls open/,
      ['rate', 'token=good', 'caller=master', 'session', 'service'],
      ({ before }) => void before.push('stream open'),
    ),
  ],
  ladder:
    front('POST+OPTIONS') +
    read +
    invalid('accept', 'BAD_USER_INPUT') +
    streamed(queried + entered + documents + invalid('unknown operation', 'OPERATION_RESOLUTION_FAILURE')) +
    limited +
    ['  no cursor | 200 | BAD_USER_INPUT', '  streams open | 200 | RATE_LIMITED']
      .map((line) => `${line} | address 1 token 1 | RateLimit=token Connection=close\n`)
      .join(''),
};

const texts = ['GET /graphql/site/schema.graphql', 'GET /graphql/schema.graphql'].map((door, index): LadderText => {
  const [, path = ''] = door.split(' ');
  const isSite = index === 0;
  const allowed = method('GET+HEAD+OPTIONS');
  return {
    ...{ door, routes: [`* ${path}`], usual: { path }, answers: 200 },
    ladder: isSite
      ? wire + allowed + asGraphql(guards + credentials + query + site + rates)
      : wire + allowed + asGraphql(guards + misunderstood('query encoding', 'token in the URL', 'unknown parameter')),
  };
});

/** OPTIONS is answered before every guard. */
const options = [
  '/graphql',
  '/graphql/site',
  '/graphql/stream',
  '/graphql/site/schema.graphql',
  '/graphql/schema.graphql',
].map((path): LadderText => ({
  door: `OPTIONS ${path}`,
  routes: [`OPTIONS ${path}`],
  usual: { method: 'OPTIONS', path },
  answers: 204,
  ladder: wire,
}));

export const graphqlLadders: readonly LadderText[] = [mutation, ...queries, ...byUrl, stream, ...texts, ...options];

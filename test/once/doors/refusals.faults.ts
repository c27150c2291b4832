// What can be wrong with a request: each fault is put into a request beside others, and is known by what its refusal says.
import type { Asked, Beforehand } from '../../support/refusals/asked.ts';

/** One thing that is wrong with a request. */
export interface Fault {
  readonly name: string;
  /** What its refusal says, and no other refusal of the same status and code at the same door. */
  readonly says: RegExp;
  /**
   * The parts of the request that it needs for itself, or as they are behind `=`. Two faults that need the same part in different
   * ways, or one of which needs a part of what the other needs (`member:slug` of `member`), cannot be in one request.
   */
  readonly parts: readonly string[];
  readonly spoil: (asked: Asked) => void;
}

/** Why two faults cannot be in one request: the part that both need; null: they can. */
export function partOfBoth(first: Fault, second: Fault): string | null {
  for (const one of first.parts) {
    for (const other of second.parts) {
      const [part = '', value] = one.split('=');
      const [otherPart = '', otherValue] = other.split('=');
      const isSame = part === otherPart && (value === undefined || value !== otherValue);
      if (isSame || part.startsWith(`${otherPart}:`)) return otherPart;
      if (otherPart.startsWith(`${part}:`)) return part;
    }
  }
  return null;
}

export function fault(name: string, says: RegExp, parts: readonly string[], spoil: (asked: Asked) => void): Fault {
  return { name, says, parts, spoil };
}

const header = (name: string, value: string) => (asked: Asked) => void asked.headers.push([name, value]);
const query = (text: string) => (asked: Asked) => void asked.query.push(text);

/** A fault of a member of the JSON that is sent. */
export function member(name: string, says: RegExp, key: string, value: unknown): Fault {
  return fault(name, says, [`json:${key}`], (asked) => void Object.assign(asked.json as object, { [key]: value }));
}

/** A fault of a member of the input of a mutation. */
export function inputMember(name: string, says: RegExp, key: string, value: unknown): Fault {
  return fault(name, says, [`json:variables:input:${key}`], ({ json }) => {
    const { variables } = json as { variables: { input: object } };
    Object.assign(variables.input, { [key]: value });
  });
}

/** A fault of a parameter of the URL. */
export function parameter(name: string, says: RegExp, text: string): Fault {
  return fault(name, says, [`query:${text.split('=', 1)[0] ?? ''}`], query(text));
}

/** A fault of a header. */
export function sentHeader(name: string, says: RegExp, of: string, value: string): Fault {
  return fault(name, says, [of.toLowerCase()], header(of, value));
}

/** A fault of the path: a piece of it, replaced. */
export function pathPiece(
  name: string,
  says: RegExp,
  piece: string,
  put: string,
  parts: readonly string[] = [],
): Fault {
  return fault(name, says, [`path:${piece}`, ...parts], (asked) => {
    if (!asked.path.includes(piece)) throw new Error(`${asked.path} has no ${piece}.`);
    asked.path = asked.path.replace(piece, put);
  });
}

/** A fault, as far as the caller or something else in the request is as another one makes it. */
export function both(first: Fault, { parts, spoil }: Fault): Fault {
  return fault(first.name, first.says, [...first.parts, ...parts], (asked) => {
    first.spoil(asked);
    spoil(asked);
  });
}

/** A fault of the document of GraphQL: a further field of it. */
export function field(name: string, says: RegExp, ...fields: string[]): Fault {
  return fault(name, says, [`document:${name}`], ({ document }) => void document?.fields.push(...fields));
}

function token(name: string, says: RegExp, state: Asked['caller']['token']): Fault {
  return fault(name, says, [`token=${state}`], ({ caller }) => void (caller.token = state));
}

/** What refuses a visitor looks like what refuses an address: they are not told apart in one request. */
function spent(name: Beforehand, kind: 'master' | 'public', says: RegExp, parts: readonly string[] = []): Fault {
  return fault(name, says, ['rate', 'token=good', `caller=${kind}`, ...parts], ({ caller, before }) => {
    caller.kind = kind;
    before.push(name);
  });
}

/** A caller of a kind that may not do it. */
export function callerKind(name: string, says: RegExp, kind: 'public' | 'user'): Fault {
  return fault(name, says, [`caller=${kind}`], ({ caller }) => {
    caller.kind = kind;
    if (kind === 'user') caller.site = 'own';
  });
}

/** A token that the directory has not, and none that could be one: 49 characters. */
const secret = `ew_master_${'a'.repeat(49)}`;

/** The faults of what is not yet a request: no door has seen it. */
const wireFaults = [
  fault('line that is no header', /not a well-formed HTTP request/, ['lines'], header('Not a header', 'x')),
  fault('headers too large', /larger than 16 kB/, ['lines'], header('X-Large', 'x'.repeat(20_000))),
  fault('Host repeated', /Host header is repeated/, ['host'], ({ hosts }) => void hosts.push('localhost', 'localhost')),
  fault('fragment in the target', /contains a fragment/, ['fragment'], (asked) => void (asked.fragment = '#x')),
  fault('WebSocket', /There are no WebSockets here/, ['upgrade'], ({ headers }) => {
    headers.push(['Upgrade', 'websocket'], ['Connection', 'Upgrade']);
  }),
];

const guardFaults = [
  fault('service starting', /service is starting/, ['service'], (asked) => void (asked.service = 'starting')),
  fault('URL too long', /URL is longer than 1500 bytes/, ['query:long'], query(`long=${'x'.repeat(1_500)}`)),
  fault(
    'address spent',
    /limit of 5 operations per minute/,
    ['address'],
    ({ before }) => void before.push('address spent'),
  ),
  fault('method', /supports only these methods/, ['method'], (asked) => void (asked.method = 'PROPFIND')),
  pathPiece('path encoding', /path must be percent-encoded/, 'articles', 'articles%ff'),
];

const callerFaults = [
  token('no token', /An access token is needed/, 'absent'),
  token('mistyped token', /access token is mistyped/, 'mistyped'),
  token('unknown token', /access token is not valid/, 'unknown'),
  token('expired token', /access token has expired/, 'expired'),
  fault(
    'two sessions',
    /name different sessions/,
    ['session'],
    ({ caller }) => void caller.sessions.push('mistyped', 'mistyped'),
  ),
  fault(
    'mistyped session',
    /session token is not valid/,
    ['session'],
    ({ caller }) => void caller.sessions.push('mistyped'),
  ),
  // Without a site it cannot be looked up.
  fault(
    'unknown session',
    /session token is not valid/,
    ['session', 'site=known'],
    ({ caller }) => void caller.sessions.push('unknown'),
  ),
];

const typed = (type: string) => (asked: Asked) => void (asked.type = type);

const bodyFaults = [
  fault('media type', /Send the body as application\/json/, ['type'], typed('text/plain')),
  sentHeader('content coding', /content encoding or character set/, 'Content-Encoding', 'zip'),
  fault('body too large', /larger than 4000 bytes/, ['length'], ({ bytes }) => void bytes.push(padded)),
  fault('slow body', /did not arrive in time/, ['service', 'coming'], (asked) => {
    asked.service = 'slow';
    asked.isWithheld = true;
  }),
  fault('body too large in chunks', /larger than 4000 bytes/, ['length'], (asked) => {
    asked.isChunked = true;
    asked.bytes.push(padded);
  }),
  fault('character set', /Send the body in UTF-8/, ['type'], typed('application/json; charset=latin1')),
  fault(
    'empty body',
    /body is empty/,
    ['json', 'text', 'utf-8', 'length', 'coming'],
    ({ bytes }) => void bytes.push(() => Buffer.from('')),
  ),
  fault('not UTF-8', /body is not UTF-8/, ['utf-8'], ({ bytes }) => {
    bytes.push((before) => Buffer.concat([before, Buffer.from([0xff])]));
  }),
  member(
    'nested too deep',
    /deeper than 100 levels/,
    'deep',
    Array.from({ length: 102 }).reduce<unknown>((inside) => [inside], 1),
  ),
  fault(
    'malformed JSON',
    /body is not JSON/,
    ['text'],
    ({ texts }) => void texts.push((before) => before.slice(0, -1)),
  ),
  fault('no JSON object', /body must be a JSON object/, ['json'], (asked) => void (asked.json = 'a text')),
  member('NUL', /holds a NUL character/, 'nul', 'a\0b'),
  member('half a surrogate pair', /holds half of a surrogate pair/, 'half', 'a\ud800'),
];

function padded(before: Buffer): Buffer {
  return Buffer.concat([before, Buffer.alloc(5_000, ' ')]);
}

const argumentFaults = [
  fault('query encoding', /query string must be percent-encoded/, ['query:encoding'], query('%ff=1')),
  fault('token in the URL', /URL contains a token/, ['query:first'], query(`x=${secret}`)),
  fault(
    'repeated parameter',
    /The parameter \\?"use_acl/,
    ['query:first', 'query:use_acl'],
    query('use_acl=0&use_acl=0'),
  ),
  parameter('unknown parameter', /is not a parameter here/, 'nonsense=1'),
  parameter('use_acl', /use_acl must be true/, 'use_acl=maybe'),
  sentHeader('Idempotency-Key', /must have 1 to 255 visible ASCII/, 'Idempotency-Key', 'two words'),
  sentHeader('malformed If-Match', /If-Match/, 'If-Match', 'no tag'),
  fault(
    'no site',
    /needs the header X-Service-Site/,
    ['caller=user', 'site=none'],
    ({ caller }) => void (caller.kind = 'user'),
  ),
  fault(
    "another's site",
    /belongs to another site/,
    ['caller=master', 'site=known'],
    ({ caller }) => void (caller.site = 'other'),
  ),
  fault('site of no member', /There is no such site/, ['caller=user', 'site=other'], ({ caller }) => {
    caller.kind = 'user';
    caller.site = 'other';
  }),
  fault('no host name', /must be a host name/, ['host'], ({ hosts }) => void hosts.push('no host')),
];

const rateFaults = [
  spent('token spent', 'master', /limit of 3 operations per minute/),
  spent('visitor spent', 'public', /limit of 5 operations per minute/, ['address']),
  spent('public token spent', 'public', /limit of 6 operations per minute/),
];

/** Whoever reuses a key has written with it before: with the token and the session of the request. */
const keyParts = ['idempotency-key', 'token=good', 'rate', 'session', 'service', 'caller=master'];

const laterFaults = [
  fault('key reused', /was used for another request/, keyParts, ({ headers, before }) => {
    headers.push(['Idempotency-Key', 'used-before']);
    before.push('key used');
  }),
  callerKind('kind of caller', /needs a master/, 'public'),
  pathPiece('no such channel', /There is no such channel/, 'articles', 'nowhere'),
  // The door has nothing else: whatever is asked there.
  fault('nothing there', /There is (nothing at this path|no such provider)/, [], () => undefined),
  pathPiece('no such entry', /There is no such entry/, 'one', 'nothing'),
  both(pathPiece('hidden entry', /There is no such entry/, 'one', 'hidden'), callerKind('', /./, 'public')),
];

/** The faults that mean the same at every door. */
export const faults: readonly Fault[] = [
  ...wireFaults,
  ...guardFaults,
  ...callerFaults,
  ...bodyFaults,
  ...argumentFaults,
  ...rateFaults,
  ...laterFaults,
];

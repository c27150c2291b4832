// A request that faults are put into, one beside the other, before it becomes bytes: for tables of refusals and their order.

/** The services that a request may be sent to: one that has not opened yet, one that waits for bodies for a short time only. */
export type ServiceName = 'usual' | 'starting' | 'slow';

export interface AskingCaller {
  kind: 'master' | 'public' | 'user';
  token: 'good' | 'absent' | 'mistyped' | 'unknown' | 'expired';
  /** What `X-Service-Site` names. */
  site: 'none' | 'own' | 'other';
  sessions: ('unknown' | 'mistyped')[];
}

/** What is used up, or was done, before the request is sent. */
export type Beforehand =
  'address spent' | 'token spent' | 'visitor spent' | 'public token spent' | 'key used' | 'stream open';

/** A document of GraphQL in parts. */
export interface AskedDocument {
  head: string;
  fields: string[];
  tail: string;
}

export interface Asked {
  service: ServiceName;
  method: string;
  path: string;
  query: string[];
  fragment: string;
  hosts: string[];
  headers: [name: string, value: string][];
  caller: AskingCaller;
  before: Beforehand[];
  type: string | null;
  /** The JSON of the body; undefined: there is none. */
  json: unknown;
  /** Stands in the JSON's member `query`, or for GET in the parameter. */
  document: AskedDocument | null;
  /** Changes of the body's text, then of its bytes. */
  texts: ((text: string) => string)[];
  bytes: ((bytes: Buffer) => Buffer)[];
  isChunked: boolean;
  /** Whether the body is announced and does not come. */
  isWithheld: boolean;
}

/** Where a usual request of a door differs from a GET of nothing in particular. */
export type Usual = Partial<Omit<Asked, 'caller'>> & { readonly caller?: Partial<AskingCaller> };

/** A request without a fault. Each is a copy of its own. */
export function usualRequest({ caller = {}, ...usual }: Usual): Asked {
  const request: Asked = {
    service: 'usual',
    method: 'GET',
    path: '/',
    query: [],
    fragment: '',
    hosts: [],
    headers: [],
    caller: { kind: 'master', token: 'good', site: 'none', sessions: [] },
    before: [],
    type: 'json' in usual || usual.method === 'POST' ? 'application/json' : null,
    json: undefined,
    document: null,
    texts: [],
    bytes: [],
    isChunked: false,
    isWithheld: false,
  };
  return Object.assign(request, structuredClone(usual), { caller: Object.assign(request.caller, caller) });
}

/** What a request is sent with: an address and tokens that nobody has used before. */
export interface Ready {
  readonly address: string;
  readonly authorization: string | null;
  readonly site: string | null;
  readonly sessions: readonly string[];
}

/** The bytes of a request. */
export function writeRequest(asked: Asked, { address, authorization, site, sessions }: Ready): Buffer {
  const query = [...asked.query];
  if (asked.document !== null && asked.json === undefined) query.push(`query=${encodeURIComponent(documentOf(asked))}`);
  const search = query.length === 0 ? '' : `?${query.join('&')}`;
  const body = bodyOf(asked);
  const lines = [
    `${asked.method} ${asked.path}${search}${asked.fragment} HTTP/1.1`,
    ...(asked.hosts.length === 0 ? ['localhost'] : asked.hosts).map((host) => `Host: ${host}`),
    `X-Forwarded-For: ${address}`,
    ...(authorization === null ? [] : [`Authorization: ${authorization}`]),
    ...(site === null ? [] : [`X-Service-Site: ${site}`]),
    ...sessions.map((session, index) => `${['Session-Token', 'X-Service-Session-Token'][index] ?? ''}: ${session}`),
    ...(asked.type === null ? [] : [`Content-Type: ${asked.type}`]),
    ...asked.headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : [asked.isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (body === null || asked.isWithheld) return head;
  return Buffer.concat([head, asked.isChunked ? chunked(body) : body]);
}

function documentOf({ document }: Asked): string {
  return document === null ? '' : `${document.head} { ${document.fields.join(' ')} } ${document.tail}`;
}

function bodyOf(asked: Asked): Buffer | null {
  const { json, document, texts, bytes } = asked;
  if (json === undefined) return null;
  const isObject = typeof json === 'object' && json !== null;
  const whole = document !== null && isObject ? { query: documentOf(asked), ...json } : json;
  const text = texts.reduce((before, change) => change(before), JSON.stringify(whole));
  return bytes.reduce<Buffer>((before, change) => change(before), Buffer.from(text));
}

function chunked(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

// A caller of the service: `as(app, { token }).rest('GET', '/channels/…')`, `as(app, { token }).gql('{ … }')`.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

export interface Credentials {
  readonly token?: string;
  readonly session?: string;
  readonly site?: string;
}

export interface RestOptions {
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface RestAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  /** The body as it came. */
  readonly text: string;
}

export interface GraphqlError {
  readonly message: string;
  readonly path?: (string | number)[];
  readonly extensions: {
    code: string;
    requestId?: string;
    errors?: { field: string; code: string; message: string }[];
  };
}

export interface GraphqlAnswer<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: Data;
  readonly errors: GraphqlError[] | undefined;
}

export interface Caller {
  rest<Body = Record<string, unknown>>(method: string, path: string, options?: RestOptions): Promise<RestAnswer<Body>>;
  gql<Data = Record<string, unknown>>(
    query: string,
    variables?: Record<string, unknown>,
    options?: { method?: string; path?: string; headers?: Record<string, string> },
  ): Promise<GraphqlAnswer<Data>>;
}

/** A caller with credentials; none: nobody. */
export function as({ url }: { url: string }, { token, session, site }: Credentials = {}): Caller {
  const credentials: Record<string, string> = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(session !== undefined && { 'Session-Token': session }),
    ...(site !== undefined && { 'X-Service-Site': site }),
  };
  return {
    rest: async <Body>(method: string, path: string, { body, headers = {} }: RestOptions = {}) => {
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: { ...credentials, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return { status: response.status, headers: response.headers, text, body: parsed<Body>(isJson, text) };
    },
    gql: async <Data>(
      query: string,
      variables: Record<string, unknown> = {},
      {
        method = 'POST',
        path = '/graphql',
        headers = {},
      }: { method?: string; path?: string; headers?: Record<string, string> } = {},
    ) => {
      const response = await fetch(url + path, {
        method,
        headers: { ...credentials, 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as { data: Data; errors?: GraphqlError[] };
      return { status: response.status, headers: response.headers, data, errors };
    },
  };
}

/**
 * One request just as it is given, by Node's client: for methods, paths and headers that `fetch` forbids or mends.
 * A header that is a list is sent as often.
 */
export async function send<Body = Record<string, unknown>>(
  { url }: { url: string },
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<RestAnswer<Body>> {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, method, path, headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks = (await answer.toArray()) as Buffer[];
  const text = Buffer.concat(chunks).toString();
  const received = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) received.append(name, value);
  }
  const isJson = received.get('content-type')?.includes('json') ?? false;
  return { status: answer.statusCode ?? 0, headers: received, text, body: parsed<Body>(isJson, text) };
}

function parsed<Body>(isJson: boolean, text: string): Body {
  return (isJson && text !== '' ? JSON.parse(text) : undefined) as Body;
}

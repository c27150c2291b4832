// A request in the forms that it passes through. A Draft has the structure that mutations work on; a Wire is what is
// sent. Tokens, sites and entries stand in both as names, `~vault.public~`, which are filled in as it is sent: so a
// request means the same in every run, and a printed one can be sent again.
import { print, type DocumentNode } from 'graphql';

export type Pair = readonly [name: string, value: string];

export interface Operation {
  /** Text where it is no document any more. */
  readonly document: DocumentNode | string;
  readonly variables: unknown;
  readonly operationName?: unknown;
  /** Members that stand beside the three. */
  readonly others?: Readonly<Record<string, unknown>>;
  readonly byGet?: boolean;
  /** How many times the operation stands in an array; absent: no array. */
  readonly batch?: number;
}

export interface Draft {
  /** The name of the request that it began as. */
  readonly seed: string;
  readonly method: string;
  /** Segments of the path, encoded. */
  readonly path: readonly string[];
  /** Parameters, encoded. */
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly body: { readonly json: unknown } | { readonly operation: Operation } | null;
}

export interface Wire {
  readonly seed: string;
  readonly steps: readonly string[];
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Pair[];
  /** Bytes, each a character; null: none. */
  readonly body: string | null;
}

/** Stands in JSON for a number as it is written: `number('1e400')`. */
export function number(text: string): string {
  return `@number:${text}@`;
}

/** JSON as it is sent. */
export function jsonText(value: unknown): string {
  return ((JSON.stringify(value) as string | undefined) ?? '').replace(/"@number:([^"@]+)@"/g, '$1');
}

/** Text as bytes, each a character. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** What is sent for a draft. */
export function wireOf({ seed, method, path, query, headers, body }: Draft, steps: readonly string[]): Wire {
  const parameters = [...query];
  let text: string | null = null;
  if (body !== null && 'json' in body) text = jsonText(body.json);
  else if (body !== null && body.operation.byGet === true) parameters.push(...parametersOf(body.operation));
  else if (body !== null) text = jsonText(batchOf(body.operation));
  const search = parameters.map(([name, value]) => `${name}=${value}`).join('&');
  return {
    seed,
    steps,
    method,
    target: `/${path.join('/')}${search === '' ? '' : `?${search}`}`,
    headers,
    body: text === null ? null : bytesOf(text),
  };
}

/** A document as text. */
export function documentText(document: Operation['document']): string {
  return typeof document === 'string' ? document : print(document);
}

function batchOf(operation: Operation): unknown {
  const members = membersOf(operation);
  return operation.batch === undefined ? members : Array.from({ length: operation.batch }, () => members);
}

function membersOf({ document, variables, operationName, others }: Operation): Record<string, unknown> {
  return { query: documentText(document), variables, ...(operationName !== undefined && { operationName }), ...others };
}

function parametersOf(operation: Operation): Pair[] {
  return Object.entries(membersOf(operation)).flatMap(([name, value]): Pair[] => {
    const text = typeof value === 'string' ? value : jsonText(value);
    return value === undefined ? [] : [[encoded(name), encoded(text)]];
  });
}

/** Percent-encoded; what can't be, as it is. */
export function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text;
}

/** Whether a request asks for a change, as far as it can be told. */
export function asksForChange({ method, target, body }: Wire): boolean {
  if (target.startsWith('/graphql')) return `${target} ${body ?? ''}`.includes('mutation');
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** A request as one may send it by hand, and as `--replay` takes it. */
export function dump(wire: Wire): string {
  const quoted = (text: string): string => `$'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'")}'`;
  const { method, target, headers, body } = wire;
  const lines = [
    `curl -i -X ${quoted(method)} ${quoted(`localhost:4000${target}`)}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`  --data-binary ${quoted(cut(body))}`]),
  ];
  return `${lines.join(' \\\n')}\nreplay: ${JSON.stringify(wire)}`;
}

function cut(text: string): string {
  return text.length > 2000 ? `${text.slice(0, 2000)}… (${text.length} bytes)` : text;
}

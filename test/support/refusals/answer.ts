// What a service answers to bytes, and what of a refusal matters: its status and code, what it says, and the headers that tell a
// client what to do.
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends bytes on a connection of their own. Resolves with the whole answer, or with its head where it is a stream that goes on. */
export function exchangeBytes(url: string, bytes: Buffer): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    const end = (answer: Answer | null): void => {
      socket.destroy();
      if (answer === null) reject(new Error(`No answer to ${bytes.toString('latin1', 0, 200)}: ${received}`));
      else resolve(answer);
    };
    socket.setEncoding('latin1');
    socket.on('data', (data: string) => {
      received += data;
      const answer = readAnswer(received);
      if (answer !== null) end(answer);
    });
    socket.on('error', () => end(readAnswer(received)));
    socket.on('close', () => end(readAnswer(received)));
  });
}

/** Begins a stream, and leaves it open. Resolves when its head has come. */
export function holdOpen(url: string, bytes: Buffer): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.once('data', () => resolve(socket)).once('error', reject);
  });
}

/** The answer as far as it has come; null while some of it is missing. */
function readAnswer(received: string): Answer | null {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [line = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = new Headers();
  for (const each of lines) headers.append(each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 1));
  const status = Number(line.split(' ')[1]);
  const body = received.slice(end + 4);
  const text = Buffer.from(body, 'latin1').toString();
  const length = headers.get('content-length');
  if (length !== null) return body.length >= Number(length) ? { status, headers, text } : null;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  // The first event tells a refusal; a comment or the time to ask again tells that the stream has begun.
  if (isStream && !/(?:^|\n)(?:data: .*\n\n|:|retry: )/.test(text)) return null;
  return { status, headers, text };
}

/** The code of a refusal: of problem details, of the first error of GraphQL, or none of a text. */
export function codeOf({ headers, text }: Answer): string {
  const type = headers.get('content-type') ?? '';
  const json = type.startsWith('text/event-stream')
    ? /data: (.*)/.exec(text)?.[1]
    : type.includes('json')
      ? text
      : undefined;
  if (json === undefined) return '-';
  const { code, errors } = JSON.parse(json) as { code?: string; errors?: { extensions: { code: string } }[] };
  return code ?? errors?.[0]?.extensions.code ?? '-';
}

/** The headers that tell a client what to do, in one line. Of a limit on rates it has the name. */
export function tellingHeaders({ headers }: Answer): string {
  const reset = parameterOf(headers, 't');
  const after = headers.get('retry-after');
  const challenge = headers.get('www-authenticate');
  const told = [
    challenge === null ? null : `WWW-Authenticate=${challenge === 'Bearer' ? 'Bearer' : 'invalid_token'}`,
    after === null ? null : `Retry-After=${after === reset ? 'reset' : after}`,
    named('Allow', headers.get('allow')),
    named('Accept-Patch', headers.get('accept-patch')),
    named('RateLimit', /^"([\w-]+)"/.exec(headers.get('ratelimit') ?? '')?.[1] ?? null),
    named('Connection', headers.get('connection') === 'close' ? 'close' : null),
  ];
  return told.filter((each) => each !== null).join(' ');
}

function named(name: string, value: string | null): string | null {
  return value === null ? null : `${name}=${value.replaceAll(', ', '+')}`;
}

/** How many operations of a limit are left. */
export function leftOf({ headers }: Answer): number {
  return Number(parameterOf(headers, 'r') ?? Number.NaN);
}

/** A parameter of the header `RateLimit`. */
function parameterOf(headers: Headers, name: string): string | null {
  return new RegExp(`;${name}=(\\d+)`).exec(headers.get('ratelimit') ?? '')?.[1] ?? null;
}

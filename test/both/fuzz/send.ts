// Sends a request over a real connection that is kept. Bytes that no client would send are tried in
// test/once/hostile/http.wire.test.ts.
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { Answer } from './judge.ts';
import { patience } from './judge.ts';
import type { Wire } from './request.ts';

/** A message that was filled in: what is sent, and all of it as text, for the judge. */
export interface Message {
  readonly wire: Wire;
  readonly sent: string;
}

let nonces = 0;

/** Fills in what names stand for. */
export function fill(wire: Wire, values: ReadonlyMap<string, string>): Message {
  const filled = (text: string): string =>
    text.replace(/~([a-z0-9]+(?:\.[a-z0-9-]+)*)~/g, (whole, name: string) => {
      if (name === 'nonce') return `n${(nonces += 1).toString(36)}`;
      return values.get(name) ?? whole;
    });
  const { method, target, headers, body } = wire;
  const ready: Wire = {
    ...wire,
    target: filled(target),
    headers: headers.map(([name, value]) => [name, filled(value)] as const),
    body: body === null ? null : filled(body),
  };
  const head = ready.headers.map((header) => header.join(': ')).join('\n');
  const content = [ready.body ?? '', ...unpacked(ready.body)].join('\n');
  const text = `${method} ${ready.target}\n${head}\n${content}`;
  return { wire: ready, sent: `${text}\n${unescaped(text)}` };
}

const unpackers = [gunzipSync, inflateSync, brotliDecompressSync];
/** More than the service reads of a body. */
const maxUnpackedBytes = 2 * 1024 * 1024;

/** What a body says that was sent compressed; nothing where it was not, or is too much to be read. */
function unpacked(body: string | null): string[] {
  if (body === null) return [];
  return unpackers.flatMap((unpack) => {
    try {
      return [unpack(Buffer.from(body, 'latin1'), { maxOutputLength: maxUnpackedBytes }).toString('latin1')];
    } catch {
      // Not in this coding.
      return [];
    }
  });
}

/** What a text says where the service reads it: answers may show it again so. */
function unescaped(text: string): string {
  const uri = text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
  return `${uri}\n${uri.replace(/\\(["\\/])/g, '$1').replaceAll('\\n', '\n')}`;
}

export interface Sender {
  /** @throws where no answer came in time */
  readonly send: (message: Message) => Promise<Answer>;
  readonly close: () => void;
}

export function openSender(url: string): Sender {
  const { hostname, port, host } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const viaClient = async ({ wire }: Message): Promise<Answer> => {
    const named = wire.headers.some(([name]) => name.toLowerCase() === 'host');
    const length = wire.body === null ? [] : ['Content-Length', String(wire.body.length)];
    const headers = [...(named ? [] : ['Host', host]), ...wire.headers.flat(), ...length];
    const begun = performance.now();
    const answer = await exchange(
      { agent, hostname, port, method: wire.method, path: wire.target, headers },
      wire.body,
    );
    return { ...answer, took: performance.now() - begun };
  };
  return {
    send: async (message) => {
      try {
        return await viaClient(message);
      } catch (error) {
        // A kept connection may be closed by the service just as it is used again.
        const { code = '' } = error as { code?: string };
        if (code === 'ECONNRESET' || code === 'EPIPE') return viaClient(message);
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * A request as Node's client sends it: its method in capitals, what can't stand in a path encoded, and without headers that no
 * client sends.
 */
export function sendable({ method, target, headers, ...rest }: Wire): Wire {
  const inCapitals = method.toUpperCase();
  const isToken = (text: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(text);
  return {
    ...rest,
    method: isToken(method) && inCapitals !== 'CONNECT' ? inCapitals : 'GET',
    target: target.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed())),
    headers: headers.filter(([name, value]) => isToken(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)),
  };
}

function exchange(options: object, body: string | null): Promise<Omit<Answer, 'took'>> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        clearTimeout(limit);
        const headers = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) headers.append(name, value);
        }
        resolve({ status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() });
      });
    });
    const limit = setTimeout(() => {
      reject(new Error('no answer in time'));
      sent.destroy();
    }, patience * 2);
    sent.on('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    sent.end(body === null ? undefined : Buffer.from(body, 'latin1'));
  });
}

// The classes of requests and responses that handlers get: Node's own, extended. The constructors set every property,
// so that V8 has one hidden class for all requests. Express' application would instead change the prototype of each
// request and response, which makes Node's own code on them slow.
import {
  IncomingMessage,
  ServerResponse,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import { Router } from 'express';
import parseUrl from 'parseurl';
import { readHeader } from '../auth/identify.ts';
import { fail } from '../base/errors.ts';
import { rateLimitHeaders, type CountedRequest } from '../admission/rateLimits.ts';
import type { LimitedCount } from '../admission/rateWindows.ts';
import { RequestStats } from '../telemetry/requestStats.ts';
import type { Span } from '../telemetry/tracing.ts';
import { chooseEncoding, compress, tagCompressed, type Encoding } from './compress.ts';

/** Stands until a request is counted, as every request for data is (src/http/ladder.ts). */
const uncounted: CountedRequest = { network: '', count: null };

export class HttpRequest extends IncomingMessage {
  // Requests that a server receives have both.
  declare url: string;
  declare method: string;
  /** The name of the request in its response and the log. */
  id = '';
  /** The network of the client, under which it is counted (`networkKey`). */
  network = '';
  /** The count of its address. */
  counted: CountedRequest = uncounted;
  /** Whether a trusted proxy sent it: then its `X-Forwarded` headers are believed. */
  isFromProxy = false;
  /** The request statistics. */
  readonly account = new RequestStats();
  /** The parameters of the route's path. */
  params: Readonly<Record<string, string>> = {};
  body: unknown = undefined;
  /** Properties that the router and `parseurl` keep. */
  baseUrl = '';
  originalUrl = '';
  next: unknown = undefined;
  route: unknown = undefined;
  _parsedUrl: unknown = undefined;

  /** The path as it was sent, without its query. */
  get path(): string {
    return parseUrl(this)?.pathname ?? '';
  }

  /**
   * The origin that the request was sent to: by the Host header, or by a trusted proxy's headers.
   * @throws bad_request if that is not a host
   */
  get origin(): string {
    const host = readHeader(this.headersDistinct, 'host') ?? '';
    const origin = this.isFromProxy ? this.#readForwarded(host) : `http://${host}`;
    if (/^https?:\/\/[A-Za-z0-9.:_[\]-]+$/.test(origin) && URL.canParse(origin)) return origin;
    fail('bad_request', 'The Host header must be a host name or address, with a port if needed.');
  }

  #readForwarded(host: string): string {
    const headers = this.headersDistinct;
    const forwarded = firstOf(readHeader(headers, 'x-forwarded-host')) ?? host;
    return `${firstOf(readHeader(headers, 'x-forwarded-proto')) ?? 'http'}://${forwarded}`;
  }
}

/** The first item of a comma-separated list to which several proxies may have added; undefined for none. */
function firstOf(list: string | undefined): string | undefined {
  return list === '' ? undefined : list?.split(',', 1)[0]?.trim();
}

/** Shorter texts are sent in one piece with the headers; in characters. */
const maxInline = 1_000;

export class HttpResponse extends ServerResponse<HttpRequest> {
  /** The time of the request, on the clock of `performance`. */
  begunAt = 0;
  /** The size of its body in bytes. */
  bodyBytes = 0;
  /** Its part in the trace; null if it is not traced. */
  span: Span | null = null;
  /** Whether it was ended because of an unhandled error: then it drops the response of the request's own work. */
  isAbandoned = false;
  /** The rate limit that its headers report unless a refusal's headers do; null for none. */
  rateLimit: LimitedCount | null = null;
  /** Whether they report it in the older form, too. */
  hasLegacyRateLimit = false;

  // Node calls this just before it sends the headers.
  override writeHead(
    status: number,
    ...rest: (string | OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined)[]
  ): this {
    if (this.rateLimit !== null && !this.hasHeader('RateLimit'))
      this.setAll(rateLimitHeaders(this.rateLimit, this.hasLegacyRateLimit));
    return super.writeHead(status, ...(rest as [OutgoingHttpHeaders?]));
  }

  setAll(headers: Readonly<Record<string, string>>): void {
    for (const name in headers) this.setHeader(name, headers[name] ?? '');
  }

  /** Adds request headers to `Vary`, besides those that it has already. */
  varyBy(names: readonly string[]): void {
    const others = this.getHeader('Vary');
    this.setHeader('Vary', [...names, ...(others === undefined ? [] : [String(others)])].join(', '));
  }

  /**
   * Sends a response with a body, compressed if the client asks for it. A long text leaves the heap while it waits for
   * the connection.
   */
  send(status: number, type: string, body: string | Buffer): void {
    const bytes = typeof body === 'string' && body.length >= maxInline ? Buffer.from(body) : body;
    this.statusCode = status;
    this.setHeader('Content-Type', type);
    const encoding = chooseEncoding(this.req, bytes.length);
    if (encoding === null || typeof bytes === 'string') this.#sendBytes(bytes);
    else this.#sendCompressed(bytes, encoding).catch((error: unknown) => this.#breakOff(error));
  }

  /** Sends a response with an encoded body. */
  sendEncoded(status: number, type: string, body: Buffer, encoding: Encoding | null): void {
    this.statusCode = status;
    this.setHeader('Content-Type', type);
    if (encoding !== null) this.setHeader('Content-Encoding', encoding);
    this.#sendBytes(body);
  }

  #sendBytes(bytes: string | Buffer): void {
    const length = Buffer.byteLength(bytes);
    this.setHeader('Content-Length', length);
    this.bodyBytes = this.req.method === 'HEAD' ? 0 : length;
    this.end(bytes);
  }

  async #sendCompressed(bytes: Buffer, encoding: Encoding): Promise<void> {
    const compressed = await compress(bytes, encoding).catch(() => null);
    // Another response, to an error, may have been sent meanwhile.
    if (this.destroyed || this.headersSent) return;
    if (compressed === null) {
      this.#sendBytes(bytes);
      return;
    }
    this.setHeader('Content-Encoding', encoding);
    const tag = this.getHeader('ETag');
    if (typeof tag === 'string') this.setHeader('ETag', tagCompressed(tag, encoding));
    this.#sendBytes(compressed);
  }

  /** Ends the connection of a response that cannot be sent. */
  #breakOff(error: unknown): void {
    if (this.isAbandoned) return;
    this.req.account.noteFault(error);
    this.destroy();
  }

  sendJson(status: number, json: string): void {
    this.send(status, 'application/json; charset=utf-8', json);
  }

  /** Sends a response without a body. */
  sendNothing(status: number): void {
    this.statusCode = status;
    this.end();
  }
}

/** A server of these classes with its handler. */
export type HttpServer = Server<typeof HttpRequest, typeof HttpResponse>;
export type HttpListener = RequestListener<typeof HttpRequest, typeof HttpResponse>;

export type Handler = (
  request: HttpRequest,
  response: HttpResponse,
  next: (error?: unknown) => void,
) => void | Promise<void>;

type RouterMethod = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'all';
type AddRoute = (path: string | string[], handler: Handler) => void;

/** Express' router, called with our requests and responses: an error that a handler throws goes to `next`. */
export type HttpRouter = Handler &
  Readonly<Record<RouterMethod, AddRoute>> & {
    readonly use: (handler: Handler) => void;
    readonly route: (path: string) => Readonly<Record<RouterMethod, (handler: Handler) => void>>;
  };

export function createRouter(): HttpRouter {
  return Router({ caseSensitive: true, strict: true }) as unknown as HttpRouter;
}

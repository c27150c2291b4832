// Logs and counts a finished request, and ends its span (docs/contract.md §13.2 to §13.4).
import type { Logger } from 'pino';
import type { RequestEnd } from '../telemetry/metrics.ts';
import { endRequestSpan } from '../telemetry/tracing.ts';
import { probePaths } from './health.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';

/** Counts finished requests. */
export interface RequestObserver {
  readonly countRequest: (end: RequestEnd) => void;
}

export interface EndDependencies {
  readonly log: Logger;
  /** null without metrics. */
  readonly metrics: RequestObserver | null;
  /** The pattern of a request's path. */
  readonly nameRoute: (request: HttpRequest) => string;
}

/** Creates the listener for the end of a response. */
export function createRequestEnd({ log, metrics, nameRoute }: EndDependencies): (this: HttpResponse) => void {
  return function endRequest() {
    const { account, method } = this.req;
    const milliseconds = performance.now() - this.begunAt;
    account.route = nameRoute(this.req);
    if (account.fault !== undefined) log.error({ requestId: this.req.id, err: account.fault }, 'fault in a part');
    const level = probePaths.includes(account.route) ? 'debug' : 'info';
    if (log.isLevelEnabled(level)) log[level](describeEnd(this, milliseconds), 'request');
    metrics?.countRequest({ method, status: this.statusCode, milliseconds, bytes: this.bodyBytes, account });
    if (this.span === null) return;
    const { route, site, tokenId: token, address } = account;
    const path = pathOf(this.req);
    endRequestSpan(this.span, { method, route, path, status: this.statusCode, address, site, token });
  };
}

/** The members of a request's log line: never its query, headers or body. Unknown ones are left out. */
function describeEnd(response: HttpResponse, milliseconds: number): Record<string, unknown> {
  const { req: request, statusCode: status, bodyBytes: bytes } = response;
  const { account } = request;
  const { operations, codes, invalid, site, tokenId, tokenKind, user, customer } = account;
  return {
    requestId: request.id,
    method: request.method,
    path: pathOf(request),
    route: account.route,
    ...(operations.length > 0 && { operation: operations.join(',') }),
    status,
    ...(codes.length > 0 && { codes }),
    ...(invalid.length > 0 && { invalid }),
    ...(site !== null && { site }),
    ...(tokenId !== null && { tokenId, tokenKind }),
    ...(user !== null && { user }),
    ...(customer !== null && { customer }),
    address: account.address,
    bytes,
    rows: account.rows,
    databaseMilliseconds: Math.round(account.databaseMilliseconds * 10) / 10,
    milliseconds: Math.round(milliseconds * 10) / 10,
    ...(response.span !== null && { traceId: response.span.spanContext().traceId }),
    ...(!response.writableFinished && { aborted: true }),
  };
}

function pathOf({ url }: HttpRequest): string {
  return url.split('?', 1)[0] ?? '';
}

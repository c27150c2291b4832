// Liveness and readiness probes (docs/contract.md §8). They need no token.
import { refuseMethod } from './request.ts';
import type { HttpRouter } from './messages.ts';

export interface Readiness {
  /** Rejects if the service cannot serve: it is starting or stopping, or its database does not answer. */
  readonly checkReady: () => Promise<void>;
}

/** The paths of the probes, which monitors request every few seconds. */
export const probePaths: readonly string[] = ['/livez', '/readyz'];

/** Adds `GET /livez` and `GET /readyz`. */
export function addHealth(router: HttpRouter, { checkReady }: Readiness): void {
  router.get('/livez', (_request, response) => response.sendJson(200, JSON.stringify({ status: 'live' })));
  router.get('/readyz', async (_request, response) => {
    const ready = await checkReady().then(
      () => true,
      () => false,
    );
    if (!ready) response.setHeader('Retry-After', '1');
    response.sendJson(ready ? 200 : 503, JSON.stringify({ status: ready ? 'ready' : 'unavailable' }));
  });
  router.all([...probePaths], () => refuseMethod('GET, HEAD'));
}

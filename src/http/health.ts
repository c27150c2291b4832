// Liveness and readiness probes (docs/contract.md §8). They need no token.
import { Router } from 'express';
import { refuseMethod } from './guards.ts';

export interface Readiness {
  /** Rejects if the service cannot serve: it is starting or stopping, or its database does not answer. */
  readonly checkReady: () => Promise<void>;
}

/** `GET /livez` and `GET /readyz`. */
export function health({ checkReady }: Readiness): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/livez', (_request, response) => {
    response.json({ status: 'live' });
  });
  router.get('/readyz', async (_request, response) => {
    const ready = await checkReady().then(
      () => true,
      () => false,
    );
    if (!ready) response.set('Retry-After', '1');
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'unavailable' });
  });
  router.all(['/livez', '/readyz'], () => refuseMethod('GET, HEAD'));
  return router;
}

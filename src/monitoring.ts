// The metrics of a process, and the port that serves them. Without METRICS_PORT there are none: nothing is counted then.
import type { Logger } from 'pino';
import { listen, urlOf, type Place } from './http/listen.ts';
import { createMetricsServer } from './http/metricsServer.ts';
import type { Gauges } from './telemetry/gauges.ts';
import type { Metrics } from './telemetry/metrics.ts';

export interface Monitoring {
  /** null: nothing is counted. */
  readonly metrics: Metrics | null;
  /** The address of the metrics; null: they are not served. */
  readonly url: string | null;
  readonly close: () => Promise<void>;
}

/**
 * Opens the metrics, where they are wanted, and serves them.
 * @param place where they are served; null: nowhere
 * @param gauges the state of the process
 * @throws the error of `listen`, with the names of the variables that set the place, if it cannot be used
 */
export async function openMonitoring(place: Place | null, gauges: Gauges, log: Logger): Promise<Monitoring> {
  if (place === null) return { metrics: null, url: null, close: () => Promise.resolve() };
  // Loaded only where it is used.
  const { Metrics } = await import('./telemetry/metrics.ts');
  const metrics = new Metrics(gauges);
  const server = createMetricsServer(metrics, log);
  try {
    await listen(server, place);
  } catch (error) {
    metrics.close();
    throw Object.assign(error as Error, { variables: { port: 'METRICS_PORT', host: 'METRICS_HOST' } });
  }
  const url = `${urlOf(server, place)}/metrics`;
  log.info({ url }, 'metrics');
  return {
    metrics,
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        metrics.close();
      }),
  };
}

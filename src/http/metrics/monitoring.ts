// The metrics of a process, and the port that serves them. Without METRICS_PORT nothing is counted.
import type { Logger } from 'pino';
import { listen, urlOf, type Place } from '../listen.ts';
import { createMetricsServer, type MetricsSource } from './metricsServer.ts';
import type { Gauges, WorkerCounts } from '../../telemetry/gauges.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

export interface Monitoring {
  /** null if nothing is counted. */
  readonly metrics: Metrics | null;
  /** The address of the metrics; null if they are not served. */
  readonly url: string | null;
  readonly close: () => Promise<void>;
}

const noMonitoring: Monitoring = { metrics: null, url: null, close: () => Promise.resolve() };

/**
 * Opens the metrics of a process if they are wanted, and serves them. A worker's are served by its supervisor.
 * @param place the address to serve them at; null for none
 * @param gauges the state of the process
 * @throws the error of `listen`, with the names of the variables that set the address, if it cannot be used
 */
export async function openMonitoring(
  place: Place | null,
  gauges: Gauges,
  log: Logger,
  isWorker: boolean,
): Promise<Monitoring> {
  if (place === null) return noMonitoring;
  // Loaded only if it is used.
  const { Metrics } = await import('../../telemetry/metrics.ts');
  const metrics = new Metrics(gauges);
  if (isWorker) {
    metrics.tellSupervisor();
    return { ...noMonitoring, metrics };
  }
  try {
    return { metrics, ...(await serveMetrics(place, metrics, log)) };
  } catch (error) {
    metrics.close();
    throw error;
  }
}

/**
 * Serves the metrics of all workers together, in their supervisor.
 * @param readCounts the counts of the supervisor
 * @throws the error of `listen`, as `openMonitoring` does
 */
export async function openWorkersMonitoring(
  place: Place | null,
  readCounts: () => WorkerCounts,
  log: Logger,
): Promise<Monitoring> {
  if (place === null) return noMonitoring;
  const { WorkersMetrics } = await import('../../telemetry/workersMetrics.ts');
  return { metrics: null, ...(await serveMetrics(place, new WorkersMetrics(readCounts), log)) };
}

async function serveMetrics(place: Place, metrics: MetricsSource, log: Logger): Promise<Omit<Monitoring, 'metrics'>> {
  const server = createMetricsServer(metrics, log);
  try {
    await listen(server, place);
  } catch (error) {
    throw Object.assign(error as Error, { variables: { port: 'METRICS_PORT', host: 'METRICS_HOST' } });
  }
  const url = `${urlOf(server, place)}/metrics`;
  log.info({ url }, 'metrics');
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

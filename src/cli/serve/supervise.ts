// `entryway serve` with WORKERS: starts the workers, and ends with them.
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { openWorkersMonitoring } from '../../http/metrics/monitoring.ts';
import { Workers } from './workers.ts';

/**
 * Runs the workers until the signal to stop. If the first one does not start, the process exits with its code: it has
 * reported the reason.
 */
export async function supervise(config: Config, log: Logger, stop: Promise<unknown>): Promise<void> {
  const workers = new Workers(log);
  const monitoring = await openWorkersMonitoring(config.metrics, () => workers.counts, log);
  try {
    const code = await Promise.race([workers.start(config.workers), stop.then(() => null)]);
    if (code !== null) {
      process.exitCode = code === 0 ? 1 : code;
      return;
    }
    log.info({ signal: await stop }, 'stopping');
  } finally {
    await workers.stop();
    await monitoring.close();
  }
}

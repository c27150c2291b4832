// The metrics of all workers together, and those of their supervisor (docs/contract.md §13.5).
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { WorkerCounts } from './gauges.ts';

export class WorkersMetrics {
  readonly #own = new Registry();
  readonly #workers = new AggregatorRegistry();

  /** @param readCounts reads the counts of the supervisor */
  constructor(readCounts: () => WorkerCounts) {
    const registers = [this.#own];
    const running: Gauge = new Gauge({
      name: 'entryway_workers',
      help: 'Workers that run.',
      registers,
      collect: (): void => running.set(readCounts().running),
    });
    const replaced: Counter = new Counter({
      name: 'entryway_workers_replaced_total',
      help: 'Workers that died and were replaced.',
      registers,
      collect: () => {
        replaced.reset();
        replaced.inc(readCounts().replaced);
      },
    });
  }

  /** The media type of the text that `read` returns. */
  get contentType(): string {
    return this.#own.contentType;
  }

  /** All metrics as text. @throws Error if a worker does not answer within 5 seconds */
  async read(): Promise<string> {
    return `${await this.#workers.clusterMetrics()}${await this.#own.metrics()}`;
  }
}

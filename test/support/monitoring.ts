// What tests read of the monitoring of a service: the lines of its log, and its metrics.
import { setTimeout as sleep } from 'node:timers/promises';

/** A line of the log that tells the end of a request. */
export interface RequestLine {
  readonly level: number;
  readonly msg: string;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly operation?: string;
  readonly status: number;
  readonly codes?: readonly string[];
  readonly invalid?: readonly string[];
  readonly site?: string;
  readonly tokenId?: string;
  readonly tokenKind?: string;
  readonly user?: string;
  readonly customer?: string;
  readonly address: string;
  readonly bytes: number;
  readonly rows: number;
  readonly databaseMilliseconds: number;
  readonly milliseconds: number;
  readonly traceId?: string;
}

/** Keeps the lines of a log. */
export class LogReader {
  readonly lines: string[] = [];
  readonly read = (line: string): void => void this.lines.push(line);

  /** The lines of requests so far. */
  requests(): RequestLine[] {
    return this.lines.map((line) => JSON.parse(line) as RequestLine).filter(({ msg }) => msg === 'request');
  }

  /** The line of a request, by its id: it is written when the connection has taken the whole answer. */
  async ofRequest(id: string): Promise<RequestLine> {
    for (;;) {
      const found = this.requests().find(({ requestId }) => requestId === id);
      if (found) return found;
      await sleep(5);
    }
  }
}

/** A sample of a metric. */
export interface Sample {
  /** With the suffix that it has in the text, such as `_bucket`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the metrics of a service. */
export async function readMetrics({ metricsUrl }: { readonly metricsUrl: string | null }): Promise<Sample[]> {
  if (metricsUrl === null) throw new Error('METRICS_PORT is not set');
  const response = await fetch(metricsUrl);
  return parseMetrics(await response.text());
}

/** The samples in a text of Prometheus' format. */
export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

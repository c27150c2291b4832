// Shows the progress of a command on standard error: a bar on a terminal, elsewhere a line every five seconds.
import { printable } from './output.ts';

const { stderr } = process;

export class Progress {
  rows = 0;
  /** How many of the rows an earlier run did. They do not count for the rate. */
  earlierRows = 0;
  /** Bytes whose rows are done, and bytes that were read. */
  bytesDone = 0;
  bytesRead = 0;
  readonly #startedAt = performance.now();
  readonly #timer = setInterval(() => this.#draw(), stderr.isTTY ? 200 : 5_000).unref();
  readonly #totalBytes: number;

  /** @param totalBytes how many bytes there are to read; 0 where that is not known */
  constructor(totalBytes: number) {
    this.#totalBytes = totalBytes;
  }

  /** Prints a line above the bar. */
  say(line: string): void {
    stderr.write(`${stderr.isTTY ? '\r\x1b[2K' : ''}${printable(line)}\n`);
  }

  stop(): void {
    clearInterval(this.#timer);
    if (stderr.isTTY) stderr.write('\r\x1b[2K');
  }

  #draw(): void {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const share = this.#totalBytes === 0 ? 0 : Math.min(1, this.bytesDone / this.#totalBytes);
    const left =
      share === 0 ? '' : `, ${Math.floor(share * 100)} %, ${Math.ceil((seconds / share - seconds) / 60)} min left`;
    const rate = formatCount(Math.round((this.rows - this.earlierRows) / seconds));
    const text = `${formatCount(this.rows)} rows, ${rate} a second${left}`;
    const columns = (stderr.columns || 80) - 1;
    const width = share === 0 ? 0 : Math.max(0, Math.min(40, columns - text.length - 3));
    const bar = width === 0 ? '' : `[${'#'.repeat(share * width).padEnd(width, '-')}] `;
    stderr.write(stderr.isTTY ? `\r\x1b[2K${(bar + text).slice(0, columns)}` : `${text}\n`);
  }
}

/** A number with commas between its thousands. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

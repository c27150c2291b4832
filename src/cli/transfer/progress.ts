// How far a command is, on standard error: on a terminal one line that is written over, else a line now and then.
const [oftenOnTerminal, oftenElsewhere] = [200, 5_000];
const barWidth = 24;

/** Told of what was done, it shows that from time to time. */
export class Progress {
  readonly #total: number;
  readonly #began = performance.now();
  readonly #isTerminal = process.stderr.isTTY;
  readonly #timer: NodeJS.Timeout;
  #read = 0;
  #bytes = 0;
  #rows = 0;
  /** Rows that an earlier run did: they say nothing of the rate. */
  #before = 0;
  #shown = false;

  /** @param total bytes to read; 0: not known */
  constructor(total: number) {
    this.#total = total;
    this.#timer = setInterval(() => this.#show(), this.#isTerminal ? oftenOnTerminal : oftenElsewhere).unref();
  }

  read(bytes: number): void {
    this.#read += bytes;
  }

  /** How many bytes were read by now. */
  get mark(): number {
    return this.#read;
  }

  /** @param mark what `mark` was when these rows had been read */
  done(rows: number, mark = 0): void {
    this.#rows += rows;
    this.#bytes = mark;
  }

  skipped(rows: number): void {
    this.#rows += rows;
    this.#before += rows;
  }

  /** Says something in a line of its own. */
  say(text: string): void {
    this.#clear();
    process.stderr.write(`${text}\n`);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #show(): void {
    const line = this.#line();
    process.stderr.write(this.#isTerminal ? `\r\x1b[2K${line}` : `${line}\n`);
    this.#shown = this.#isTerminal;
  }

  #clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[2K');
    this.#shown = false;
  }

  #line(): string {
    const seconds = (performance.now() - this.#began) / 1000;
    const rate = Math.round((this.#rows - this.#before) / Math.max(seconds, 0.001));
    const rows = `${grouped(this.#rows)} rows, ${grouped(rate)} a second`;
    if (this.#total === 0) return rows;
    const share = Math.min(1, this.#bytes / this.#total);
    const left = share > 0 ? `, ${duration((seconds / share) * (1 - share))} left` : '';
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    if (!this.#isTerminal) return `${percent.trim()}, ${rows}${left}`;
    const full = Math.round(share * barWidth);
    return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]${percent}  ${rows}${left}`;
  }
}

/** A number with commas between its thousands. */
export function grouped(count: number): string {
  return count.toLocaleString('en');
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600 ? `${Math.ceil(whole / 60)} min` : `${(whole / 3600).toFixed(1)} h`;
}

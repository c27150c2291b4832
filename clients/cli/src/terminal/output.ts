// What commands print: results on standard output, as text for people or as one JSON document; failures as one line on
// standard error.
import { once } from 'node:events';

/** Whether --json was given. It is searched for here, so that it also holds where the command line can't be parsed. */
export const asJson = process.argv.includes('--json');

/** The result of a command, as data for programs and as text for people. */
export interface Result {
  readonly json: unknown;
  readonly text: string;
}

/** Whether a write to standard output has failed: what follows would be of no use. */
let hasFailed = false;

// The reader may close the output early, as `head` does. That is not a failure; a disk that is full is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || hasFailed) return;
  hasFailed = true;
  process.exitCode = 1;
  process.stderr.write(`entryway: Can't write to standard output: ${printable(error.message)}.\n`);
});
// Nobody can be told of it.
process.stderr.on('error', () => undefined);

/** Prints a command's result. */
export function print({ json, text }: Result): void {
  process.stdout.write(`${printable(asJson ? JSON.stringify(json) : text)}\n`);
}

/** pino's number of the level `fatal`. */
const fatalLevel = 60;

/**
 * Prints why a command failed: one line.
 * @param isLogged whether the command writes a log to standard error; outside a terminal the line is then one of the log's
 */
export function printFailure(message: string, isLogged = false): void {
  if (asJson) process.stdout.write(`${printable(JSON.stringify({ error: { message } }))}\n`);
  const line = { level: fatalLevel, time: new Date().toISOString(), msg: message };
  const isLine = isLogged && !asJson && !process.stderr.isTTY;
  process.stderr.write(`${printable(isLine ? JSON.stringify(line) : `entryway: ${message}`)}\n`);
}

/**
 * Writes chunks to standard output or standard error no faster than they are read there, to the end or until the reader closes it.
 * A terminal gets texts without what would control it.
 */
export async function writeToStream(stream: NodeJS.WriteStream, chunks: AsyncIterable<string | Buffer>): Promise<void> {
  for await (const chunk of chunks) {
    if (!stream.writable || (stream === process.stdout && hasFailed)) return;
    if (!stream.write(stream.isTTY && typeof chunk === 'string' ? printable(chunk) : chunk))
      await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => undefined);
  }
}

/** A table of text: rows under headings, or the sentence `otherwise` where there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], otherwise: string): string {
  if (rows.length === 0) return otherwise;
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows].map((cells) => cells.map(inOneLine));
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A time, which is a text in the form of ISO 8601, for people; `otherwise` where there is none. */
export function timeText(time: string | null, otherwise: string): string {
  return time === null ? otherwise : time.replace(/\.\d+Z$/, 'Z');
}

/**
 * Shows characters that control a terminal, or change the direction of text, as escapes such as \u001b: what is printed can
 * come from a service, its callers or a file. Tabs and ends of lines stay. JSON means the same afterwards.
 */
export function printable(text: string): string {
  return text.replace(
    /\r(?!\n)|[^\P{Cc}\t\r\n]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function inOneLine(text: string): string {
  return printable(text.replace(/[\t\r\n]/g, ' '));
}

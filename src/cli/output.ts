// What commands print: results on standard output, as text for people or as one JSON document; failures as one line on
// standard error.

/** Whether --json was given. Read here, since it also holds where the rest of the command line can't be understood. */
export const asJson = process.argv.includes('--json');

/** What a command has to say, for programs and for people. */
export interface Result {
  readonly json: unknown;
  readonly text: string;
}

// Whoever reads may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Prints a command's result. */
export function print({ json, text }: Result): void {
  process.stdout.write(`${asJson ? JSON.stringify(json) : text}\n`);
}

/** Prints why a command failed: one line. */
export function printFailure(message: string): void {
  if (asJson) process.stdout.write(`${JSON.stringify({ error: { message } })}\n`);
  process.stderr.write(`entryway: ${message}\n`);
}

/** Rows as columns of text under headings, or a sentence where there are none. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], otherwise: string): string {
  if (rows.length === 0) return otherwise;
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows].map((cells) => cells.map(printable));
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

/** A time for people; `otherwise` where there is none. */
export function timeText(time: Date | null, otherwise: string): string {
  return time === null ? otherwise : time.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Names come from anybody: without control characters they can't play with the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

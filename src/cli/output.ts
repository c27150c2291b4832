// What commands print: results on standard output, as text for people or as one JSON document; failures as one line on
// standard error.

/** Whether --json was given. It is searched for here, so that it also holds where the command line can't be parsed. */
export const asJson = process.argv.includes('--json');

/** The result of a command, as data for programs and as text for people. */
export interface Result {
  readonly json: unknown;
  readonly text: string;
}

// The reader may close the output early, as `head` does. That is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Prints a command's result. */
export function print({ json, text }: Result): void {
  process.stdout.write(`${printable(asJson ? JSON.stringify(json) : text)}\n`);
}

/** Prints why a command failed: one line. */
export function printFailure(message: string): void {
  if (asJson) process.stdout.write(`${printable(JSON.stringify({ error: { message } }))}\n`);
  process.stderr.write(`entryway: ${printable(message)}\n`);
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

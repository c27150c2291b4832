// Reads CSV (RFC 4180) with csv-parse. That counts a CRLF inside quotes as two lines, and does not tell where a record that it
// skips began. So line numbers are found here, from positions in bytes.
import { pipeline } from 'node:stream';
import { parse, type CsvError } from 'csv-parse';
import { Refusal } from '../../terminal/refusal.ts';
import type { Dialect } from './dialect.ts';

export interface CsvRecord {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly text: Buffer;
  /** Empty where the record is broken. */
  readonly cells: readonly Buffer[];
  /** What is wrong with a broken record. */
  problem?: string;
}

/** The longest record that csv-parse is to hold in memory. Most likely a longer one has a quote that is never closed. */
const maxRecordLength = 16 * 1024 * 1024;

const problems: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'has text behind a closing quote; inside a quoted cell, a quote is written twice',
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed, so that it goes on to the end of the file',
  INVALID_OPENING_QUOTE: 'has a quote inside a cell that is not quoted',
};

/**
 * The records of a file, including the header; empty lines are skipped. A broken record ends where csv-parse finds its end,
 * and the records after it are read as usual.
 * @param maxLength how many bytes a record may have
 * @throws {Refusal} when one has more
 */
export async function* readCsv(
  path: string,
  chunks: AsyncIterable<Buffer>,
  { separator, newline }: Pick<Dialect, 'separator' | 'newline'>,
  maxLength = maxRecordLength,
): AsyncGenerator<CsvRecord> {
  const newlines = new NewlineIndex(newline);
  const queue: CsvRecord[] = [];
  const push = (record: CsvRecord): void => {
    const last = queue.at(-1);
    if (last?.problem !== undefined && last.line < record.line - 1) {
      last.problem += `; it is taken to go on to line ${record.line - 1}`;
    }
    // csv-parse reports every error of a record. The first one is enough.
    if (record.problem === undefined || last?.line !== record.line) queue.push(record);
  };
  const parser = parse({
    // latin1 makes a character of each byte, so that the cells can be checked for UTF-8 later.

    encoding: 'latin1',
    raw: true,
    delimiter: separator,
    max_record_size: maxLength,
    record_delimiter: newline === '\r' ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_record: (parsed: unknown, { bytes }) => {
      const { record, raw } = parsed as { record: string[]; raw: string };
      // The last byte is the record's newline, or at the end of the file belongs to a cell.
      const line = newlines.lineAt(bytes - 1) - newlines.count(record.join(''));
      push({ line, text: toBytes(raw), cells: record.map(toBytes) });
      return [];
    },
    on_skip: (error, raw = '') => {
      if (!error) return;
      const line = findLine(error, raw, separator, newlines);
      // csv-parse loses bytes when it skips a record that is too large.
      if (error.code === 'CSV_MAX_RECORD_SIZE') {
        throw new Refusal(
          `${path}, line ${line}: the record is larger than ${maxLength} bytes. Is a quote there never closed?`,
        );
      }
      push({ line, text: toBytes(raw), cells: [], problem: problems[error.code] ?? 'is not CSV' });
    },
  });
  pipeline(newlines.watch(chunks), parser, () => undefined);
  for await (const _ of parser) yield* queue.splice(0, queue.length - (queue.at(-1)?.problem === undefined ? 0 : 1));
  yield* queue;
}

function toBytes(latin1: string): Buffer {
  return Buffer.from(latin1, 'latin1');
}

/** The line on which a broken record begins. Its error tells where the cell before the broken one ended. */
function findLine(error: CsvError, raw: string, separator: string, newlines: NewlineIndex): number {
  const { bytes, index } = error as unknown as { bytes: number; index: number };
  const text = raw.replace(/^[\r\n]+/, '');
  if (index === 0) return newlines.lineAt(bytes) + raw.length - text.length;
  const between = separator.replace(
    /[^]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  const cells = new RegExp(`^(?:(?:"[^"]*(?:""[^"]*)*"|[^"${between}]*)${between}){${index}}`);
  const [before = ''] = cells.exec(text) ?? [];
  return newlines.lineAt(bytes) - newlines.count(before);
}

/** The positions of a stream's newlines. Those before the last position that was asked about are dropped. */
class NewlineIndex {
  #positions: number[] = [];
  #passed = 0;
  #line = 1;
  #size = 0;
  readonly #newline: string;

  constructor(newline: string) {
    this.#newline = newline;
  }

  /** How many a text has. */
  count(text: string): number {
    return text.split(this.#newline).length - 1;
  }

  async *watch(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#positions.splice(0, this.#passed);
      this.#passed = 0;
      for (let at = chunk.indexOf(this.#newline); at !== -1; at = chunk.indexOf(this.#newline, at + 1))
        this.#positions.push(this.#size + at);
      this.#size += chunk.length;
      yield chunk;
    }
  }

  /** The line of a position. Positions must not decrease from call to call. */
  lineAt(position: number): number {
    for (; (this.#positions[this.#passed] ?? position) < position; this.#passed += 1) this.#line += 1;
    return this.#line;
  }
}

// Reads the rows of a file of CSV: its first record names the members, and the cells of the others are texts.
import { isUtf8 } from 'node:buffer';
import { Refusal } from '../../terminal/refusal.ts';
import { readCsv } from './csv.ts';
import { AmbiguousSeparator, dialectBytes, findDialect, type Dialect } from './dialect.ts';
import { notUtf8 } from './encoding.ts';
import type { InputFile } from './inputFiles.ts';
import { peek } from './peek.ts';
import { rejectText, type Chunks, type ReadingWatch, type RejectedRow, type Rows, type SourceRow } from './rows.ts';

/** The columns of a file. */
interface Header {
  readonly names: readonly string[];
  /** How many columns without names follow, as spreadsheets leave them behind. */
  readonly nameless: number;
}

/** A record whose bytes are texts. */
interface TextRecord {
  readonly line: number;
  readonly text: Buffer;
  readonly cells: readonly string[];
  readonly problem: string | undefined;
}

/**
 * The rows of a file of CSV. Records without any value are left out, and so are the last columns where they have neither a name nor
 * a value.
 * @param bytes in UTF-8
 * @throws {Refusal} where the first record can't name the columns, or several separators fit
 */
export async function* readCsvRows(input: InputFile, bytes: Chunks, watch: ReadingWatch): Rows {
  let header: Header | null = null;
  for await (const record of readTexts(input, bytes)) {
    const { line, cells, text, problem } = record;
    if (problem === undefined && cells.every((cell) => cell === '')) watch.emptyRecord?.();
    else if (header === null) header = readHeader(input.path, record);
    else if (problem !== undefined) yield rejectText({ input, place: line }, problem, text);
    else yield readRow(input, header, record);
  }
  if (header !== null && header.nameless > 0) watch.namelessColumns?.(header.nameless);
}

async function* readTexts(input: InputFile, bytes: Chunks): AsyncGenerator<TextRecord> {
  const { head, isWhole, all } = await peek(bytes, dialectBytes);
  const dialect = chooseDialect(input, head.toString('latin1'), isWhole);
  let isHint = dialect.namesSeparator;
  for await (const { line, cells, text, problem } of readCsv(input.path, all, dialect)) {
    if (!isHint) {
      const misread = cells.every((cell) => isUtf8(cell)) ? undefined : notUtf8;
      yield { line, text, cells: cells.map((cell) => cell.toString()), problem: problem ?? misread };
    }
    isHint = false;
  }
}

/** @throws {Refusal} where several separators fit */
function chooseDialect({ path, separator }: InputFile, head: string, isWhole: boolean): Dialect {
  try {
    return findDialect(head, isWhole, separator);
  } catch (error) {
    if (!(error instanceof AmbiguousSeparator)) throw error;
    const found = error.separators.map((each) => (each === '\t' ? 'tab' : each));
    throw new Refusal(
      `The columns of ${path} may be separated by ${found.join(' or ')}: say by which with --separator.`,
    );
  }
}

/** @throws {Refusal} where the names can't be those of members */
function readHeader(path: string, { cells, problem: broken }: TextRecord): Header {
  const all = cells.map((name) => name.trim());
  const names = all.slice(0, all.findLastIndex((name) => name !== '') + 1);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  const twice = duplicate === undefined ? undefined : `has the column "${duplicate}" twice`;
  const problem = broken ?? (names.includes('') ? 'has a column without a name' : twice);
  if (problem === undefined) return { names, nameless: all.length - names.length };
  throw new Refusal(`The first line of ${path} must name the columns, and ${problem}.`);
}

function readRow(
  input: InputFile,
  { names, nameless }: Header,
  { line, cells, text }: TextRecord,
): SourceRow | RejectedRow {
  const place = { input, place: line };
  const width = names.length + nameless;
  if (cells.length !== width) return rejectText(place, `has ${cells.length} cells under ${width} columns`, text);
  const extra = cells.findIndex((cell, index) => index >= names.length && cell !== '');
  if (extra >= 0) return rejectText(place, `has a value in column ${extra + 1}, which has no name`, text);
  const members = names.map((name, index) => [name, cells[index] ?? ''] as const).filter(([, cell]) => cell !== '');
  return { ...place, members: Object.fromEntries(members), columns: names };
}

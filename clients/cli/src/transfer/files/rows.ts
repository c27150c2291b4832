// The rows of files to import, as they are read.
import type { InputFile } from './inputFiles.ts';

/** Where a row stands: its line, counted from 1, or its index in a JSON array. */
export interface RowPlace {
  readonly input: InputFile;
  readonly place: number;
}

/** A row's members; those of CSV are all texts. */
export interface SourceRow extends RowPlace {
  readonly members: Readonly<Record<string, unknown>>;
  /** The members as they stand in the file, if these are others by now: for the files of rejected rows. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** The columns of its file in their order, with those that have no value in this row; absent: the file does not name them. */
  readonly columns?: readonly string[];
  /** The id that the new entry keeps; absent: it gets a new one. */
  readonly keptId?: string;
}

/** A row that is not stored, and why. */
export interface RejectedRow extends RowPlace {
  readonly reason: string;
  readonly errors?: readonly unknown[];
  /** The row, or the beginning of its text. */
  readonly row?: unknown;
}

export type Chunks = AsyncIterable<Buffer>;
export type Rows = AsyncGenerator<SourceRow | RejectedRow>;

/** Is told what is read, and what is left out because there is nothing in it. */
export interface ReadingWatch {
  readonly bytes?: (count: number) => void;
  /** Of a record of CSV whose cells are all empty. */
  readonly emptyRecord?: () => void;
  /** Of the last columns of a file of CSV that have no name, once its end is reached. */
  readonly namelessColumns?: (count: number) => void;
}

/** A row of which there is only the text. */
export function rejectText(place: RowPlace, reason: string, text: Buffer): RejectedRow {
  return { ...place, reason, row: text.toString().trim().slice(0, 2_000) };
}

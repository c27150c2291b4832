// The files to import, and the formats of files to import and to export.
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { reasonOf, Refusal, UsageError } from '../../terminal/refusal.ts';

export type FileFormat = 'json' | 'ndjson' | 'csv';

export const fileFormats: readonly FileFormat[] = ['json', 'ndjson', 'csv'];

/** What the extension of a file stands for; CSV with tabs is TSV. */
const extensions: Readonly<Record<string, { readonly format: FileFormat; readonly separator: string | null }>> = {
  json: { format: 'json', separator: null },
  ndjson: { format: 'ndjson', separator: null },
  jsonl: { format: 'ndjson', separator: null },
  csv: { format: 'csv', separator: null },
  tsv: { format: 'csv', separator: '\t' },
};

/** The extensions that there are, for messages. */
export const extensionNames = Object.keys(extensions)
  .map((name) => `.${name}`)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ');

/** How files are to be read, as it was given; absent: what each file looks like. */
export interface ReadingOptions {
  readonly format?: FileFormat;
  /** A label of the Encoding Standard, such as `windows-1252`. */
  readonly encoding?: string;
  readonly separator?: string;
}

/** A file to import; `-` is standard input, whose size is not known. */
export interface InputFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly size: number;
  /** When the file was changed, in milliseconds since 1970. */
  readonly changedAt: number;
  /** The name of its encoding; null: UTF-8, or UTF-16 where it looks like that. */
  readonly encoding: string | null;
  /** What separates the cells of CSV; null: what the file looks like. */
  readonly separator: string | null;
}

/** The format that a file's extension stands for. */
export function guessFormat(path: string): FileFormat | undefined {
  return extensions[extname(path).slice(1).toLowerCase()]?.format;
}

/** What separates the cells of a file of CSV by its extension; null: that tells nothing. */
export function guessSeparator(path: string): string | null {
  return extensions[extname(path).slice(1).toLowerCase()]?.separator ?? null;
}

/**
 * The files at some paths.
 * @throws {UsageError} where one is given twice, or has an unknown format, and for an option that can't be meant; {Refusal} where
 *   one can't be read
 */
export async function inspectFiles(paths: readonly string[], options: ReadingOptions = {}): Promise<InputFile[]> {
  const duplicate = paths.find((path, index) => paths.indexOf(path) !== index);
  if (duplicate !== undefined) throw new UsageError(`${duplicate} is given twice.`);
  if (paths.includes('-') && paths.length > 1)
    throw new UsageError('Standard input (-) can be given only by itself, without other files.');
  const encoding = options.encoding === undefined ? null : parseEncoding(options.encoding);
  const given = options.separator === undefined ? null : parseSeparator(options.separator);
  return Promise.all(
    paths.map(async (path) => {
      const format = options.format ?? guessFormat(path);
      if (!format)
        throw new UsageError(
          `The extension of ${path} does not tell its format (${extensionNames} do): give --format json, ndjson or csv.`,
        );
      const reading = { format, encoding, separator: given ?? guessSeparator(path) };
      if (path === '-') return { path, size: 0, changedAt: 0, ...reading };
      const { size, mtimeMs } = await stat(path).catch((error: unknown) => {
        throw new Refusal(`Can't read ${path}: ${reasonOf(error)}.`);
      });
      return { path: resolve(path), size, changedAt: mtimeMs, ...reading };
    }),
  );
}

/** The name of an encoding. @throws {UsageError} where there is none with the label */
function parseEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new UsageError(
      `There is no encoding "${label}": give --encoding utf-8, utf-16le or windows-1252, for example.`,
    );
  }
}

/** The character that an option gives for a separator. @throws {UsageError} where it can't be one */
function parseSeparator(text: string): string {
  const separator = text === 'tab' || text === '\\t' ? '\t' : text;
  if (/^[^"\r\n\w]$/u.test(separator)) return separator;
  throw new UsageError(
    '--separator takes one character that is neither a letter, a digit nor a quote, or the word tab.',
  );
}

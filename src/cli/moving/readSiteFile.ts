// Reads the file of an exported site, line by line, and refuses a damaged, cut off, foreign or newer one.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import type { Section } from '../../database/tables.ts';
import { findChangedNumber, isDeeperThan } from '../../inputs/json.ts';
import { reasonOf, Refusal, UsageError } from '../../../clients/cli/src/terminal/refusal.ts';
import {
  anyHeader,
  countOf,
  endPrefix,
  fileEnd,
  formatVersion,
  headerShape,
  sectionEnd,
  sectionsOf,
  sectionStart,
  type SiteHeader,
} from './siteFile.ts';

/** A row of a file, and the number of its line, from 1. */
export interface FileRow {
  readonly section: Section;
  readonly row: unknown;
  readonly line: number;
  /** The length of the line. */
  readonly bytes: number;
}

/** The greatest length of a row with all that belongs to it. */
const maxLineBytes = 32 * 1024 * 1024;
/** An entry's values may nest to 1,000 levels. */
const maxDepth = 1_010;
const newline = 0x0a;

/**
 * Reads the header and the rows of a file, in their order.
 * @throws {UsageError} if there is no readable file; {Refusal} with the line and its fault. Rows may have been read
 *   before: only a file that was read to its end is whole
 */
export async function* readSiteFile(path: string): AsyncGenerator<SiteHeader | FileRow, void> {
  const lines = new FileLines(path);
  try {
    yield* readSections(lines);
  } finally {
    await lines.close();
  }
}

async function* readSections(lines: FileLines): AsyncGenerator<SiteHeader | FileRow, void> {
  const header = parseHeader(await lines.next(), lines);
  yield header;
  for (const section of sectionsOf(header)) {
    const expected = countOf(header, section);
    const start = lines.parse(sectionStart, await lines.next());
    if (start.section !== section) lines.refuse(`the section ${section} is expected here`);
    const hash = createHash('sha256');
    let rows = 0;
    for (;;) {
      const bytes = await lines.next();
      if (isEnd(bytes)) {
        const end = lines.parse(sectionEnd, bytes);
        const isWhole = end.end === section && end.rows === rows && rows === expected;
        if (!isWhole) lines.refuse(`the section ${section} has ${rows} rows of ${expected}`);
        if (end.sha256 !== hash.digest('hex')) lines.refuse(`the checksum of the section ${section} is another one`);
        break;
      }
      hash.update(bytes).update('\n');
      rows += 1;
      if (rows > expected) lines.refuse(`the section ${section} has more than ${expected} rows`);
      yield { section, row: lines.parseJson(bytes), line: lines.number, bytes: bytes.length };
    }
  }
  await lines.finish();
}

function isEnd(bytes: Buffer): boolean {
  return bytes.subarray(0, endPrefix.length).equals(Buffer.from(endPrefix));
}

function parseHeader(bytes: Buffer, lines: FileLines): SiteHeader {
  const json = lines.parseJson(bytes);
  const any = anyHeader.safeParse(json);
  if (!any.success) lines.refuse('this is not the header of an exported site');
  else if (any.data.formatVersion > formatVersion) {
    lines.refuse(
      `the file has the format ${any.data.formatVersion}, of Entryway ${any.data.entryway}; this version reads format ` +
        `${formatVersion}: import it with that version, or a later one`,
    );
  }
  return lines.parse(headerShape, bytes);
}

/** The lines of a file. */
class FileLines {
  /** The number of the line that was read last. */
  number = 0;
  readonly #path: string;
  readonly #lines: AsyncGenerator<Buffer, void>;
  readonly #hash = createHash('sha256');
  /** The checksum of all lines before the last read one. */
  #before = '';

  constructor(path: string) {
    this.#path = path;
    this.#lines = splitLines(path);
  }

  async next(): Promise<Buffer> {
    const next = await this.#read();
    if (next === null) this.refuse('the file ends here: it was cut off');
    this.#before = isEnd(next) ? this.#hash.copy().digest('hex') : '';
    this.#hash.update(next).update('\n');
    return next;
  }

  /** Reads the last line. @throws {Refusal} if it is not the end of the file, or the checksum is another one */
  async finish(): Promise<void> {
    const end = this.parse(fileEnd, await this.next());
    if (end.sha256 !== this.#before) this.refuse('the checksum of the file is another one');
    if ((await this.#read()) !== null) this.refuse('something follows the end of the file');
  }

  async close(): Promise<void> {
    await this.#lines.return();
  }

  parse<Shape extends z.ZodType>(shape: Shape, bytes: Buffer): z.output<Shape> {
    const parsed = shape.safeParse(this.parseJson(bytes));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return this.refuse(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not as it should be'}`.trim());
  }

  parseJson(bytes: Buffer): unknown {
    const text = bytes.toString('utf8');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.refuse('this is not JSON');
    }
    if (isDeeperThan(maxDepth, value)) this.refuse(`this nests deeper than ${maxDepth} levels`);
    const changed = findChangedNumber(text);
    if (changed !== undefined) this.refuse(`the number ${changed.slice(0, 50)} would be stored as another one`);
    return value;
  }

  /** @throws {Refusal} always */
  refuse(what: string): never {
    throw new Refusal(`${this.#path}, line ${this.number}: ${what}. Nothing is imported.`);
  }

  async #read(): Promise<Buffer | null> {
    try {
      const { done, value } = await this.#lines.next();
      this.number += 1;
      return done === true ? null : value;
    } catch (error) {
      this.number += 1;
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'Z_BUF_ERROR') this.refuse('the file ends here: it was cut off');
      if (code?.startsWith('Z_') === true) this.refuse(`this is not what gzip has written (${message})`);
      if (error instanceof Refusal) throw error;
      throw new UsageError(`Can't read ${this.#path}: ${reasonOf(error)}`);
    }
  }
}

async function* splitLines(path: string): AsyncGenerator<Buffer, void> {
  const file = createReadStream(path);
  const plain = file.pipe(createGunzip());
  file.once('error', (error) => plain.destroy(error));
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const last = chunk.subarray(start, end);
        yield parts.length === 0 ? last : Buffer.concat([...parts.splice(0), last]);
        size = 0;
        start = end + 1;
      }
      if (start === chunk.length) continue;
      parts.push(chunk.subarray(start));
      size += chunk.length - start;
      if (size > maxLineBytes) throw new Refusal(`${path} has a line of more than ${maxLineBytes} bytes.`);
    }
    if (size > 0) yield Buffer.concat(parts);
    // Node's gunzip skips zero bytes behind the end of gzip, and anything that follows them.
    if (plain.bytesWritten < (await stat(path)).size) throw new Refusal(`${path} has something behind its end.`);
  } finally {
    file.destroy();
    plain.destroy();
  }
}

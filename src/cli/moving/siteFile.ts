// The file of an exported site (docs/contract.md §12.4): lines of JSON, compressed by gzip. The first line is the
// header; each section begins and ends with a line of its own, and the end has the checksum of the section's rows. The
// last line has the checksum of all lines before it. Equal sites have equal bytes: no line and no setting depends on
// the time.
import { createHash, type Hash } from 'node:crypto';
import { constants, createGzip, type Gzip } from 'node:zlib';
import { z } from 'zod';
import type { Section } from '../../database/tables.ts';
import { timeInput } from '../../fields/time.ts';
import { handleRule, isHandle } from '../../rules/names.ts';
import { isDisplayName } from '../values.ts';

export const formatName = 'entryway-site';

/**
 * The newest format, with roles, members' roles and scopes of tokens. A file of a site that has none of them is of format 1, which earlier versions
 * read as well.
 */
export const formatVersion = 2;
const formatWithoutRoles = 1;

/** The format of a file. */
export function formatFor(hasRoles: boolean): number {
  return hasRoles ? formatVersion : formatWithoutRoles;
}

const count = z.int().min(0);

/**
 * The sections, in their order: rows come behind those that they refer to. The header has the number of rows of each.
 * src/database/tables.ts says which tables have one.
 */
const countShapes = {
  channels: count,
  customers: count,
  roles: count.optional(),
  members: count,
  webhooks: count,
  tokens: count,
  sessions: count,
  entries: count,
} satisfies Readonly<Record<Section, z.ZodType>>;
export const sections = Object.keys(countShapes) as readonly Section[];
export type SectionCounts = z.output<typeof countsShape>;
const countsShape = z.strictObject(countShapes);

/** The sections of a file, in their order. */
export function sectionsOf({ formatVersion: version }: Pick<SiteHeader, 'formatVersion'>): readonly Section[] {
  return version === formatWithoutRoles ? sections.filter((section) => section !== 'roles') : sections;
}

/** The number of rows of a section. */
export function countOf({ counts }: Pick<SiteHeader, 'counts'>, section: Section): number {
  return counts[section] ?? 0;
}

/** The members of the header in every version of the format. */
export const anyHeader = z.object({
  format: z.literal(formatName),
  formatVersion: z.int(),
  entryway: z.string().max(100),
});

export const headerShape = z.strictObject({
  format: z.literal(formatName),
  formatVersion: z.int().min(formatWithoutRoles).max(formatVersion),
  /** The version that wrote the file. */
  entryway: z.string().max(100),
  site: z.strictObject({
    id: z.string().refine(isHandle, handleRule),
    name: z.string().refine(isDisplayName, 'must be a name'),
    created_at: z.iso.datetime().refine((text) => timeInput.safeParse(text).success, 'must be a time'),
  }),
  counts: countsShape,
});
export type SiteHeader = z.output<typeof headerShape>;

/** The number of all rows of a file. */
export function countRows(header: SiteHeader): number {
  return sectionsOf(header).reduce((sum, section) => sum + countOf(header, section), 0);
}

export const sectionStart = z.strictObject({ section: z.enum(sections) });
export const sectionEnd = z.strictObject({ end: z.enum(sections), rows: count, sha256: z.string() });
export const fileEnd = z.strictObject({ end: z.literal('file'), sha256: z.string() });

/** The beginning of the lines that end a section, or the file. No row of a site begins so. */
export const endPrefix = '{"end":';

/**
 * The settings of the compression and, below, the bytes that it gets at a time: with other settings the file may
 * differ.
 */
export function compression(): Gzip {
  return createGzip({ level: 6, memLevel: 8, strategy: constants.Z_DEFAULT_STRATEGY });
}
const chunkBytes = 65_536;

/** The rows of a section, in an order that does not depend on the database. */
export type ReadRows = (section: Section) => AsyncIterable<unknown>;

/** The bytes of a file, before they are compressed. @throws Error if the number of rows is not that in the header */
export async function* siteFileChunks(header: SiteHeader, readRows: ReadRows): AsyncGenerator<Buffer, void> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const line of lines(header, readRows)) {
    pending.push(line);
    size += line.length;
    if (size < chunkBytes) continue;
    const all = Buffer.concat(pending, size);
    let start = 0;
    for (; start + chunkBytes <= size; start += chunkBytes) yield all.subarray(start, start + chunkBytes);
    pending = [all.subarray(start)];
    size -= start;
  }
  yield Buffer.concat(pending, size);
}

async function* lines(header: SiteHeader, readRows: ReadRows): AsyncGenerator<Buffer, void> {
  const file = createHash('sha256');
  yield hashed(header, file);
  for (const section of sectionsOf(header)) {
    yield hashed({ section }, file);
    const hash = createHash('sha256');
    let rows = 0;
    for await (const row of readRows(section)) {
      const line = hashed(row, file);
      hash.update(line);
      rows += 1;
      yield line;
    }
    const expected = countOf(header, section);
    if (rows !== expected) throw new Error(`${rows} ${section} were read, of ${expected}`);
    yield hashed({ end: section, rows, sha256: hash.digest('hex') }, file);
  }
  yield toLine({ end: 'file', sha256: file.digest('hex') });
}

function hashed(value: unknown, hash: Hash): Buffer {
  const line = toLine(value);
  hash.update(line);
  return line;
}

function toLine(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

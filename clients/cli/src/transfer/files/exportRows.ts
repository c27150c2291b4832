// Formats the entries of a channel as rows of text.
import { isFixedField, settableRestNames } from '../../../../../src/entries/members.ts';
import type { FieldDefinition } from '../../../../../src/fields/definition.ts';
import { takesChannel } from '../../../../../src/fields/types.ts';
import { isObject } from '../../../../../src/inputs/json.ts';
import { Refusal } from '../../terminal/refusal.ts';
import type { FileFormat } from './inputFiles.ts';
import type { RemoteChannel } from '../../service/remoteChannel.ts';
import type { RemoteEntry } from '../../service/remoteEntries.ts';
import { cellType, formatCell, quoteCell } from '../columns/values.ts';

/** The text before the first row, between rows, and after the last one. */
const frames = { json: ['[\n', ',\n', '\n]\n'], ndjson: ['', '\n', '\n'], csv: ['', '\r\n', '\r\n'] } as const;

/** How entries are written; `separator` and `guardFormulas` concern CSV alone. */
interface RowFormat {
  readonly format: FileFormat;
  readonly separator: string;
  readonly guardFormulas: boolean;
}

/**
 * Pages of entries as text: a row for each entry, with the members from which an import makes an equal entry.
 * @throws {Refusal} where CSV would have no columns
 */
export async function* formatPages(
  { format, separator, guardFormulas }: RowFormat,
  { id, fields }: RemoteChannel,
  pages: AsyncIterable<RemoteEntry[]>,
): AsyncGenerator<string> {
  if (format === 'csv' && fields.length === 0) {
    throw new Refusal(`The channel "${id}" declares no fields, so CSV would have no columns: use ndjson or json.`);
  }
  const definitions = new Map(fields.map((field) => [field.name, field]));
  const [before, between, after] = frames[format];
  let columns: string[] | null = null;
  let isFirst = true;
  for await (const page of pages) {
    const rows = page.map((entry) => toPortable(entry, definitions));
    let lines = rows.map((row) => JSON.stringify(row));
    if (format === 'csv') {
      const isNew = columns === null;
      columns ??= [
        ...settableRestNames.filter((name) => Object.hasOwn(rows[0] ?? { slug: null }, name)),
        ...definitions.keys(),
      ];
      const names = columns;
      const cellOf = (row: RemoteEntry, name: string): string =>
        quoteCell(formatCell(row[name], cellType(name, definitions), guardFormulas), separator);
      lines = rows.map((row) => names.map((name) => cellOf(row, name)).join(separator));
      if (isNew) lines.unshift(names.join(separator));
    }
    if (lines.length === 0) continue;
    yield (isFirst ? before : between) + lines.join(between);
    isFirst = false;
  }
  if (!isFirst) yield after;
  else if (format === 'json') yield '[]\n';
}

/** The members that an import can set, with references as slugs. */
function toPortable(entry: RemoteEntry, fields: ReadonlyMap<string, FieldDefinition>): RemoteEntry {
  const members = Object.entries(entry).filter(([name]) => settableRestNames.includes(name) || !isFixedField(name));
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      takesChannel(fields.get(name)?.type ?? 'json') ? replaceBySlugs(value) : value,
    ]),
  );
}

/** References as the slugs of their targets. */
function replaceBySlugs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaceBySlugs);
  return isObject(value) ? (value['slug'] ?? null) : value;
}

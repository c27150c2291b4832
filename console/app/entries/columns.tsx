// The columns of a list of entries.
import { createColumnHelper, type ColumnDef } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Channel, Entry, Json, Stub } from '../api/types.ts';
import { readableFields } from '../fields/guess.ts';
import { readText } from '../fields/values.ts';
import { showTime } from '../parts/times.ts';
import { plainText } from './plainText.ts';
import { listTraits } from './query.ts';
import { StatusBadge } from '../entry/StatusBadge.tsx';

const helper = createColumnHelper<Entry>();

/** The names of the members that are not the channel's own. */
const fixedNames = new Set(
  'id url short_id slug channel created_at updated_at title_field_value _status _publish_at _acl _owner'.split(' '),
);

/** The names of an entry's own members. */
export function ownNames(entry: Entry): readonly string[] {
  return Object.keys(entry).filter((name) => !fixedNames.has(name));
}

/** The names of the members of the channel's own that entries have. */
export function seenNames(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap(ownNames))].sort();
}

/** The first few fields are shown unless one chooses others. */
const shownAtFirst = 3;

export function hiddenAtFirst(channel: Channel, seen: readonly string[]): Record<string, boolean> {
  const names = fieldNames(channel, seen);
  return Object.fromEntries([...names.slice(shownAtFirst), 'slug', 'created_at'].map((name) => [name, false]));
}

function fieldNames(channel: Channel, seen: readonly string[]): readonly string[] {
  const names = channel.fields.length > 0 ? readableFields(channel).map(({ name }) => name) : seen;
  return names.filter((name) => name !== channel.title_field);
}

/** Of a field that the channel does not declare. */
const freeTraits = { isSortable: true, isHtml: false };

export function makeColumns(channel: Channel, seen: readonly string[]): ColumnDef<Entry, Json>[] {
  const byName = new Map(channel.fields.map((field) => [field.name, field]));
  const own = fieldNames(channel, seen).map((name) => {
    const field = byName.get(name);
    const { isSortable, isHtml } = field === undefined ? freeTraits : listTraits(field.type);
    return helper.accessor((entry): Json => entry[name] ?? null, {
      id: name,
      header: field?.label ?? name,
      enableSorting: isSortable,
      cell: ({ getValue }) => <Cell value={getValue()} isHtml={isHtml} />,
    });
  });
  const time = (id: string, header: string): ColumnDef<Entry, Json> =>
    helper.accessor((entry): Json => entry[id] ?? null, {
      id,
      header,
      cell: ({ getValue }) => <time>{showTime(readText(getValue()))}</time>,
    });
  return [
    helper.accessor((entry): Json => entry.title_field_value, {
      id: 'title_field_value',
      header: 'Title',
      enableHiding: false,
      cell: ({ row: { original } }) => <Link href={entryPath(original)}>{nameEntry(original)}</Link>,
    }),
    helper.accessor((entry): Json => entry._status, {
      id: '_status',
      header: 'Status',
      cell: ({ row: { original } }) => <StatusBadge entry={original} publishable={channel.publishable} />,
    }),
    ...own,
    helper.accessor((entry): Json => entry.slug, { id: 'slug', header: 'Slug' }),
    time('updated_at', 'Changed'),
    time('created_at', 'Created'),
  ];
}

/** Where the console shows an entry. */
export function entryPath({ channel, id }: Pick<Entry, 'channel' | 'id'>): string {
  return `/channels/${encodeURIComponent(channel)}/entries/${id}`;
}

/** What an entry is called: its title, or else its slug. */
export function nameEntry({ title_field_value: title, slug }: Pick<Stub, 'title_field_value' | 'slug'>): string {
  return title === null || title === '' ? slug : title;
}

function Cell({ value, isHtml }: { readonly value: Json; readonly isHtml: boolean }): ReactNode {
  if (value === null) return <span className="faint">–</span>;
  return <span className="cell">{isHtml && typeof value === 'string' ? plainText(value) : showValue(value)}</span>;
}

/** A value in one line. */
export function showValue(value: Json): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(showValue).join(', ');
  const { title_field_value: title, slug, url } = value as Readonly<Record<string, Json>>;
  if (typeof slug === 'string') return typeof title === 'string' ? title : slug;
  return typeof url === 'string' ? url : JSON.stringify(value);
}

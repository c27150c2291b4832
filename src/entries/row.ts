// An entry's row as statements return it. JSON and times are texts, which are parsed on use: most responses pass them
// on unchanged.
import type { Values } from '../fields/stored.ts';
import type { Channel, Entry, EntryStatus } from '../generated/prisma/client.ts';
import type { EntryAcl } from '../rules/access.ts';

/**
 * The short columns of a row, which are selected as one text: reading a column takes a driver longer than concatenating
 * it takes PostgreSQL. None of them can contain a comma. Only the last one may be null, because concat_ws leaves out
 * nulls.
 */
export const shortColumns = [
  'id',
  'shortId',
  'slug',
  'version',
  'status',
  'size',
  'fieldsVersion',
  'createdAt',
  'updatedAt',
  'publishAt',
] as const satisfies readonly [...NeverNull[], keyof Entry];

/** The columns that are never null. */
type NeverNull = { [Column in keyof Entry]: null extends Entry[Column] ? never : Column }[keyof Entry];

/** The select list of a row (memberSql.ts). */
export interface RowColumns {
  /** The columns of `shortColumns`, separated by commas; empty if there is no row. */
  readonly short: string;
  readonly owner: string | null;
  readonly title: string | null;
  readonly acl: string;
  readonly data: string;
  readonly kept: string;
}

/** A row of `entries`. Its members are only declared, because initialized ones would be set twice. */
export class EntryRow {
  declare readonly siteId: string;
  declare readonly channelUid: string;
  declare readonly id: string;
  declare readonly shortId: string;
  declare readonly slug: string;
  declare readonly version: number;
  declare readonly status: EntryStatus;
  declare readonly owner: string | null;
  declare readonly size: number;
  declare readonly fieldsVersion: number;
  /** The first 1,000 characters of the title, for the version of the fields that the entry was derived for. */
  declare readonly title: string | null;
  /** The columns that are parsed when they are read; times in ISO 8601, in UTC with milliseconds. */
  declare readonly text: Readonly<Record<'createdAt' | 'updatedAt' | 'acl' | 'data' | 'kept', string>> & {
    readonly publishAt: string | null;
  };
  #acl: EntryAcl | undefined;
  #data: Values | undefined;
  #kept: Values | undefined;

  constructor({ short, owner, title, acl, data, kept }: RowColumns, { siteId, uid }: Pick<Channel, 'siteId' | 'uid'>) {
    // In the order of shortColumns.
    const [id, shortId, slug, version, status, size, fieldsVersion, createdAt, updatedAt, publishAt] = short.split(',');
    this.siteId = siteId;
    this.channelUid = uid;
    this.id = id ?? '';
    this.shortId = shortId ?? '';
    this.slug = slug ?? '';
    this.version = Number(version);
    this.status = status as EntryStatus;
    this.owner = owner;
    this.size = Number(size);
    this.fieldsVersion = Number(fieldsVersion);
    this.title = title;
    const created = isoTime(createdAt ?? '');
    // Many entries were never changed, and published as they were created.
    const updated = updatedAt === createdAt ? created : isoTime(updatedAt ?? '');
    let published = null;
    if (publishAt !== undefined) published = publishAt === createdAt ? created : isoTime(publishAt);
    this.text = {
      createdAt: created,
      updatedAt: updated,
      publishAt: published,
      acl,
      data,
      kept,
    };
  }

  get createdAt(): Date {
    return new Date(this.text.createdAt);
  }

  get updatedAt(): Date {
    return new Date(this.text.updatedAt);
  }

  get publishAt(): Date | null {
    return this.text.publishAt === null ? null : new Date(this.text.publishAt);
  }

  get acl(): EntryAcl {
    return (this.#acl ??= JSON.parse(this.text.acl) as EntryAcl);
  }

  get data(): Values {
    return (this.#data ??= JSON.parse(this.text.data) as Values);
  }

  get kept(): Values {
    return (this.#kept ??= JSON.parse(this.text.kept) as Values);
  }
}

/** Converts a time from the form in which PostgreSQL writes it, `2026-01-31 12:00:00.5+00`, to ISO 8601 with milliseconds. */
function isoTime(text: string): string {
  const isUsual = text.charAt(10) === ' ' && text.endsWith('+00') && text.length <= 'YYYY-MM-DD HH:MM:SS.mmm+00'.length;
  if (!isUsual) return new Date(text).toISOString();
  const [date, time] = [text.slice(0, 10), text.slice(11, -3)];
  // Without zeros at its end: three digits, or none, are the most frequent by far.
  if (time.length === 'HH:MM:SS.mmm'.length) return `${date}T${time}Z`;
  return time.length === 'HH:MM:SS'.length
    ? `${date}T${time}.000Z`
    : `${date}T${time.padEnd('HH:MM:SS.mmm'.length, '0')}Z`;
}

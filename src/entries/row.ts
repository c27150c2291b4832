// An entry's row as statements return it. JSON and times come as text, and are parsed where somebody looks into them: most
// responses pass them on as they are.
import type { Values } from '../fields/stored.ts';
import type { EntryAcl } from '../rules/access.ts';
import type { EntryColumns } from './members.ts';
import type { PositionValue } from './orderSql.ts';

/** A row of `entries`. */
export class EntryRow {
  readonly siteId: string;
  readonly id: string;
  readonly channelUid: string;
  readonly shortId: string;
  readonly slug: string;
  readonly version: number;
  readonly status: EntryColumns['status'];
  readonly owner: string | null;
  readonly size: number;
  readonly fieldsVersion: number;
  /** The first 1,000 characters of the title, for the version of the fields that the entry was derived for. */
  readonly title: string | null;
  /** The columns that are parsed when they are read; times in ISO 8601, in UTC with milliseconds. */
  readonly text: Readonly<Record<'createdAt' | 'updatedAt' | 'acl' | 'data' | 'kept', string>> & {
    readonly publishAt: string | null;
  };
  #acl: EntryAcl | undefined;
  #data: Values | undefined;
  #kept: Values | undefined;

  constructor(columns: EntryColumns) {
    this.siteId = columns.siteId;
    this.id = columns.id;
    this.channelUid = columns.channelUid;
    this.shortId = columns.shortId;
    this.slug = columns.slug;
    this.version = columns.version;
    this.status = columns.status;
    this.owner = columns.owner;
    this.size = columns.size;
    this.fieldsVersion = columns.fieldsVersion;
    this.title = columns.title;
    this.text = {
      createdAt: isoTime(columns.createdAt),
      updatedAt: isoTime(columns.updatedAt),
      publishAt: columns.publishAt === null ? null : isoTime(columns.publishAt),
      acl: columns.acl,
      data: columns.data,
      kept: columns.kept,
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

/** A row, and its position in the order of a list, for a cursor. */
export class PlacedRow extends EntryRow {
  readonly #position: string;

  constructor(columns: EntryColumns & { readonly position: string }) {
    super(columns);
    this.#position = columns.position;
  }

  get position(): PositionValue[] {
    return JSON.parse(this.#position) as PositionValue[];
  }
}

/** A time as PostgreSQL writes it in UTC: `2026-01-31 12:00:00.5+00`. */
const timeText = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/** Converts a time from PostgreSQL's form to ISO 8601 in UTC with milliseconds. */
function isoTime(text: string): string {
  const [, day, time, fraction = ''] = timeText.exec(text) ?? [];
  if (day === undefined || time === undefined) return new Date(text).toISOString();
  return `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
}

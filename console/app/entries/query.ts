// What a list of entries asks for: filters, order and place, as REST takes them (docs/api.md). Pure.
import type { Channel, Field, FieldType } from '../api/types.ts';
import { readableFields } from '../fields/guess.ts';

export interface Filter {
  readonly field: string;
  readonly op: string;
  readonly value: string;
}

export interface SortKey {
  readonly id: string;
  readonly desc: boolean;
}

export interface ListState {
  readonly search: string;
  readonly filters: readonly Filter[];
  readonly sort: readonly SortKey[];
  readonly size: number;
  /** The cursors of the pages that lead to this one; empty: the first page. */
  readonly cursors: readonly string[];
}

export const firstPage: ListState = { search: '', filters: [], sort: [], size: 25, cursors: [] };

type Kind =
  'text' | 'html' | 'choice' | 'number' | 'date' | 'time' | 'boolean' | 'list' | 'reference' | 'opaque' | 'any';

/** How lists show, compare and sort the values of each type. */
const kinds: Readonly<Record<FieldType, Kind>> = {
  string: 'text',
  text: 'text',
  html: 'html',
  email: 'text',
  url: 'text',
  select: 'choice',
  integer: 'number',
  float: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'time',
  strings: 'list',
  multi_select: 'list',
  reference: 'reference',
  references: 'list',
  json: 'opaque',
  geo: 'opaque',
  file: 'opaque',
};

/** Whether lists can be sorted by a type, and show its values as HTML. */
export function listTraits(type: FieldType): { readonly isSortable: boolean; readonly isHtml: boolean } {
  const kind = kinds[type];
  return { isSortable: !['list', 'reference', 'opaque'].includes(kind), isHtml: kind === 'html' };
}

/** The operators in words; `exists` has its two values as two choices. */
export const operatorNames: Readonly<Record<string, string>> = {
  ...{ eq: 'is', ne: 'is not', gt: 'is more than', gte: 'is at least', lt: 'is less than', lte: 'is at most' },
  ...{ contains: 'contains', starts_with: 'begins with', ends_with: 'ends with', in: 'is one of', nin: 'is none of' },
  ...{ all: 'has all of', has: 'has a value', lacks: 'has no value' },
};

const presence = ['has', 'lacks'];
const order = ['gt', 'gte', 'lt', 'lte'];
const ofTexts = ['eq', 'ne', 'contains', 'starts_with', 'ends_with', 'in', 'nin', ...order, ...presence];
const ofTimes = [...order, 'eq', 'ne', ...presence];
const operators: Readonly<Record<Kind, readonly string[]>> = {
  text: ofTexts,
  html: ofTexts,
  choice: ['eq', 'ne', 'in', 'nin', ...presence],
  number: ['eq', 'ne', ...order, 'in', 'nin', ...presence],
  date: ofTimes,
  time: ofTimes,
  boolean: ['eq', 'ne', ...presence],
  list: ['eq', 'in', 'nin', 'all', ...presence],
  reference: ['eq', 'ne', 'in', 'nin', ...presence],
  opaque: presence,
  any: ['eq', 'ne', 'contains', ...order, 'in', 'nin', ...presence],
};

export interface Filterable {
  readonly name: string;
  readonly label: string;
  readonly operators: readonly string[];
  /** The values to choose from; null: any. */
  readonly options: readonly string[] | null;
  readonly input: 'text' | 'date';
  readonly isSortable: boolean;
}

function fixed(name: string, label: string, kind: Kind, options: readonly string[] | null = null): Filterable {
  return { name, label, operators: operators[kind], options, input: 'text', isSortable: true };
}

function declared({ name, label, type, options }: Field): Filterable {
  const kind = kinds[type];
  return {
    ...{ name, label: label ?? name, operators: operators[kind] },
    options: kind === 'boolean' ? ['true', 'false'] : options,
    input: kind === 'date' ? 'date' : 'text',
    isSortable: listTraits(type).isSortable,
  };
}

/** What the entries of a channel can be filtered by: the declared fields, or those that were seen, and the fixed members. */
export function filterables(channel: Channel, seen: readonly string[]): readonly Filterable[] {
  const { fields, acl } = channel;
  const own = fields.length > 0 ? readableFields(channel).map(declared) : seen.map((name) => fixed(name, name, 'any'));
  return [
    ...own,
    fixed('slug', 'Slug', 'text'),
    fixed('_status', 'Status', 'choice', ['draft', 'scheduled', 'published']),
    fixed('_publish_at', 'Publication time', 'time'),
    fixed('created_at', 'Created', 'time'),
    fixed('updated_at', 'Changed', 'time'),
    // Whoever reads the channel's access list may filter by the owner, too.
    ...(acl === undefined ? [] : [fixed('_owner', 'Owner', 'text')]),
  ];
}

/** Whether an operator is followed by a value. */
export function takesValue(op: string): boolean {
  return !presence.includes(op);
}

/** The parameters of the request for a page. Filters that are not finished are left out. */
export function listQuery({ search, filters, sort, size, cursors }: ListState): Record<string, string> {
  const query: Record<string, string> = { per_page: String(size), ...filterQuery(filters) };
  if (search.trim() !== '') query['q'] = search.trim();
  if (sort.length > 0) query['sort'] = sort.map(({ id, desc }) => (desc ? `-${id}` : id)).join(',');
  const cursor = cursors.at(-1);
  if (cursor !== undefined) query['cursor'] = cursor;
  return query;
}

function filterQuery(filters: readonly Filter[]): Record<string, string> {
  const finished = filters.filter(({ op, value }) => !takesValue(op) || value.trim() !== '');
  return Object.fromEntries(
    finished.map(({ field, op, value }) =>
      takesValue(op) ? [`${field}.${op}`, value.trim()] : [`${field}.exists`, String(op === 'has')],
    ),
  );
}

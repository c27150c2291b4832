// Filters and sorts as docs/contract.md §5 has them, worked out in memory: what the service's lists are held against. It
// shares no code with src/.

export type FieldKind = 'text' | 'number' | 'boolean' | 'date' | 'time' | 'list' | 'any';

/** An entry as a caller reads it. */
export interface Read {
  readonly id: string;
  readonly created_at: string;
  readonly [member: string]: unknown;
}

export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly field: string; readonly op: string; readonly value: unknown };

export type Kinds = ReadonlyMap<string, FieldKind>;

/** Whether an entry passes. */
export function passes(filter: Filter, entry: Read, kinds: Kinds): boolean {
  if ('and' in filter) return filter.and.every((each) => passes(each, entry, kinds));
  if ('or' in filter) return filter.or.some((each) => passes(each, entry, kinds));
  if ('not' in filter) return !passes(filter.not, entry, kinds);
  const { field, op, value } = filter;
  const shown = entry[field] ?? null;
  // An empty list of a declared field is no value.
  const has = kinds.get(field) === 'list' && Array.isArray(shown) && shown.length === 0 ? null : shown;
  const list = (Array.isArray(value) ? value : []) as unknown[];
  switch (op) {
    case 'exists':
      return (has !== null) === value;
    case 'eq':
      return same(has, value);
    case 'ne':
      return !same(has, value);
    case 'in':
      return list.some((each) => same(has, each));
    case 'nin':
      return !list.some((each) => same(has, each));
    case 'all':
      return has !== null && Array.isArray(has) && list.every((each) => same(has, each));
    case 'contains':
      return typeof has === 'string' && fold(has).includes(fold(String(value)));
    case 'starts_with':
      return typeof has === 'string' && fold(has).startsWith(fold(String(value)));
    case 'ends_with':
      return typeof has === 'string' && fold(has).endsWith(fold(String(value)));
    default:
      return isBeyond(has, op, value);
  }
}

function isBeyond(has: unknown, op: string, value: unknown): boolean {
  if (typeof has !== typeof value) return false;
  const order =
    typeof has === 'string' ? byCodePoint(has, String(value)) : typeof has === 'number' ? has - Number(value) : NaN;
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[op] ?? false;
}

/** Equal, or in the list. */
function same(has: unknown, value: unknown): boolean {
  if (has === null) return false;
  if (Array.isArray(has)) return has.some((each) => each === value);
  if (typeof has === 'object' && typeof value === 'object') return JSON.stringify(has) === JSON.stringify(value);
  return has === value;
}

/** Entries in order: absent values last, ties by id in the last key's direction. */
export function sorted(entries: readonly Read[], sort: readonly string[]): Read[] {
  const keys = sort.map((key) => ({ field: key.replace(/^-/, ''), sign: key.startsWith('-') ? -1 : 1 }));
  const lastSign = keys.at(-1)?.sign ?? -1;
  return [...entries].sort((one, other) => {
    for (const { field, sign } of keys) {
      const [a, b] = [sortable(one[field]), sortable(other[field])];
      if (a === null && b === null) continue;
      if (a === null || b === null) return a === null ? 1 : -1;
      const order = compare(a, b);
      if (order !== 0) return order * sign;
    }
    return byCodePoint(one.id, other.id) * lastSign;
  });
}

type Scalar = string | number | boolean;

function sortable(value: unknown): Scalar | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Numbers, then texts without regard to case and by code point, then truth values. */
function compare(a: Scalar, b: Scalar): number {
  const rank = (value: Scalar): number => ['number', 'string', 'boolean'].indexOf(typeof value);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a === 'string') return byCodePoint(fold(a), fold(String(b))) || byCodePoint(a, String(b));
  return Number(a) - Number(b);
}

/** Simple lower case, character by character. */
function fold(text: string): string {
  return [...text].map((char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join('');
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

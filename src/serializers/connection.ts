// Pages of lists. GraphQL returns them as connections, REST as arrays with headers.
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import type { PublicEntry } from './entry.ts';

/** The number of matching entries: `exactly`, or `atLeast` if counting stopped at a limit. */
export type Total = { readonly exactly: number } | { readonly atLeast: number };

export interface EntryPage {
  readonly edges: readonly { readonly cursor: string; readonly node: PublicEntry }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The page's number, from 1; null if the page was requested by a cursor. */
  readonly number: number | null;
  /** Number of entries in a full page. */
  readonly size: number;
  /**
   * Counts the entries of the whole list: up to a low limit (`usual`), or up to the caller's limit, if it has one
   * (`exact`).
   */
  readonly count: (extent: 'usual' | 'exact') => PromiseOrValue<Total>;
}

/**
 * An entry in a page. Its cursor is made when it is read: REST reads only that of the last entry, and few documents
 * select any.
 */
export class Edge {
  readonly node: PublicEntry;
  readonly #makeCursor: () => string;

  constructor(node: PublicEntry, makeCursor: () => string) {
    this.node = node;
    this.#makeCursor = makeCursor;
  }

  get cursor(): string {
    return this.#makeCursor();
  }
}

/** A page of a list that is read by cursors alone. */
export interface CursorPage<Node> {
  readonly nodes: Node[];
  readonly edges: { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  /** A function, because GraphQL calls it only if the field is selected. */
  readonly totalCount: () => Promise<number>;
}

/**
 * Makes a page.
 * @param rows one more than the page holds, if there is a next page
 * @param asked the requested size, and the cursor; null for the first page
 */
export function makeCursorPage<Row, Node>(
  rows: readonly Row[],
  { size, after }: { readonly size: number; readonly after: string | null },
  present: (row: Row) => { cursor: string; node: Node },
  totalCount: () => Promise<number>,
): CursorPage<Node> {
  const edges = rows.slice(0, size).map(present);
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount,
  };
}

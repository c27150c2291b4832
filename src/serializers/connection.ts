// A page of entries. GraphQL returns it as an EntryConnection, REST as an array with headers.
import type { PublicEntry } from './entry.ts';

/** How many entries match: `exactly`, or `atLeast` if counting stopped at a limit. */
export type Total = { readonly exactly: number } | { readonly atLeast: number };

export interface EntryPage {
  readonly edges: readonly { readonly cursor: string; readonly node: PublicEntry }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The page's number, from 1; null if the page was asked for by a cursor. */
  readonly number: number | null;
  /** How many entries a full page has. */
  readonly size: number;
  /**
   * Counts the entries of the whole list: up to a low limit (`usual`), or up to the caller's limit, if it has one
   * (`exact`).
   */
  readonly count: (extent: 'usual' | 'exact') => Promise<Total>;
}

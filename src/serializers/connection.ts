// A page of entries, as both doors hand it on: GraphQL as an EntryConnection, REST as an array with headers.
import type { PublicEntry } from './entry.ts';

/** How many entries match: exactly, or at least so many where counting stopped. */
export type Total = { readonly exactly: number } | { readonly atLeast: number };

export interface EntryPage {
  readonly edges: readonly { readonly cursor: string; readonly node: PublicEntry }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The page's number and size, where it was asked for by number. */
  readonly number: number | null;
  readonly size: number;
  /** Counts the entries of the whole list, by the same predicate: cheaply, or as far as the caller may have it counted. */
  readonly count: (extent: 'usual' | 'exact') => Promise<Total>;
}

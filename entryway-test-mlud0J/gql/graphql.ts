/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/**
 * The publication state of an entry in a publishable channel. A scheduled entry becomes visible when its time comes, and
 * its state stays SCHEDULED.
 */
export type EntryStatus =
  /** Not publicly visible. */
  | 'DRAFT'
  /** Publicly visible from `publishAt` on; needs a `publishAt`. */
  | 'SCHEDULED'
  /** Publicly visible, or from `publishAt` on if that is set. */
  | 'PUBLISHED';

/** Comparisons with a value. All that are sent must be true. */
export type StringFilter = {
  /** Equal to it; a list has it. */
  eq?: string | null | undefined;
  /** Not equal to it, or absent; a list does not have it. */
  ne?: string | null | undefined;
  /** One of these. */
  in?: Array<string> | null | undefined;
  /** None of these, or absent. */
  nin?: Array<string> | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Greater than it. */
  gt?: string | null | undefined;
  /** Greater than it, or equal. */
  gte?: string | null | undefined;
  /** Less than it. */
  lt?: string | null | undefined;
  /** Less than it, or equal. */
  lte?: string | null | undefined;
  /** Contains it, whatever its letter case. */
  contains?: string | null | undefined;
  /** Starts with it, whatever its letter case. */
  startsWith?: string | null | undefined;
  /** Ends with it, whatever its letter case. */
  endsWith?: string | null | undefined;
};

/** Comparisons with a value. All that are sent must be true. */
export type DateTimeFilter = {
  /** Equal to it; a list has it. */
  eq?: unknown;
  /** Not equal to it, or absent; a list does not have it. */
  ne?: unknown;
  /** One of these. */
  in?: Array<unknown> | null | undefined;
  /** None of these, or absent. */
  nin?: Array<unknown> | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Greater than it. */
  gt?: unknown;
  /** Greater than it, or equal. */
  gte?: unknown;
  /** Less than it. */
  lt?: unknown;
  /** Less than it, or equal. */
  lte?: unknown;
};

/** Comparisons with a value. All that are sent must be true. */
export type EntryStatusFilter = {
  /** Equal to it; a list has it. */
  eq?: EntryStatus | null | undefined;
  /** Not equal to it, or absent; a list does not have it. */
  ne?: EntryStatus | null | undefined;
  /** One of these. */
  in?: Array<EntryStatus> | null | undefined;
  /** None of these, or absent. */
  nin?: Array<EntryStatus> | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Greater than it. */
  gt?: EntryStatus | null | undefined;
  /** Greater than it, or equal. */
  gte?: EntryStatus | null | undefined;
  /** Less than it. */
  lt?: EntryStatus | null | undefined;
  /** Less than it, or equal. */
  lte?: EntryStatus | null | undefined;
  /** Contains it, whatever its letter case. */
  contains?: string | null | undefined;
  /** Starts with it, whatever its letter case. */
  startsWith?: string | null | undefined;
  /** Ends with it, whatever its letter case. */
  endsWith?: string | null | undefined;
};

/** Comparisons with a value. All that are sent must be true. */
export type SafeIntFilter = {
  /** Equal to it; a list has it. */
  eq?: number | null | undefined;
  /** Not equal to it, or absent; a list does not have it. */
  ne?: number | null | undefined;
  /** One of these. */
  in?: Array<number> | null | undefined;
  /** None of these, or absent. */
  nin?: Array<number> | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Greater than it. */
  gt?: number | null | undefined;
  /** Greater than it, or equal. */
  gte?: number | null | undefined;
  /** Less than it. */
  lt?: number | null | undefined;
  /** Less than it, or equal. */
  lte?: number | null | undefined;
};

/** A condition on entries. All of its members must be true; an empty one is. */
export type FilmWhere = {
  /** All of these must be true. */
  and?: Array<FilmWhere> | null | undefined;
  /** One of these must be true; of none, none is. */
  or?: Array<FilmWhere> | null | undefined;
  /** This must not be true. */
  not?: FilmWhere | null | undefined;
  /** Compares `id`, as REST calls it. */
  id?: StringFilter | null | undefined;
  /** Compares `url`, as REST calls it. */
  url?: StringFilter | null | undefined;
  /** Compares `short_id`, as REST calls it. */
  shortId?: StringFilter | null | undefined;
  /** Compares `slug`, as REST calls it. */
  slug?: StringFilter | null | undefined;
  /** Compares `channel`, as REST calls it. */
  channel?: StringFilter | null | undefined;
  /** Compares `created_at`, as REST calls it. */
  createdAt?: DateTimeFilter | null | undefined;
  /** Compares `updated_at`, as REST calls it. */
  updatedAt?: DateTimeFilter | null | undefined;
  /** Compares `title_field_value`, as REST calls it. */
  titleFieldValue?: StringFilter | null | undefined;
  /** Compares `_status`, as REST calls it. */
  status?: EntryStatusFilter | null | undefined;
  /** Compares `_publish_at`, as REST calls it. */
  publishAt?: DateTimeFilter | null | undefined;
  /** In REST: `title`. */
  title?: StringFilter | null | undefined;
  /** In REST: `year`. */
  year?: SafeIntFilter | null | undefined;
};

/** What a list is ordered by. */
export type FilmSort =
  /** By `id`, ascending. */
  | 'ID_ASC'
  /** By `id`, descending. */
  | 'ID_DESC'
  /** By `url`, ascending. */
  | 'URL_ASC'
  /** By `url`, descending. */
  | 'URL_DESC'
  /** By `short_id`, ascending. */
  | 'SHORT_ID_ASC'
  /** By `short_id`, descending. */
  | 'SHORT_ID_DESC'
  /** By `slug`, ascending. */
  | 'SLUG_ASC'
  /** By `slug`, descending. */
  | 'SLUG_DESC'
  /** By `channel`, ascending. */
  | 'CHANNEL_ASC'
  /** By `channel`, descending. */
  | 'CHANNEL_DESC'
  /** By `created_at`, ascending. */
  | 'CREATED_AT_ASC'
  /** By `created_at`, descending. */
  | 'CREATED_AT_DESC'
  /** By `updated_at`, ascending. */
  | 'UPDATED_AT_ASC'
  /** By `updated_at`, descending. */
  | 'UPDATED_AT_DESC'
  /** By `title_field_value`, ascending. */
  | 'TITLE_FIELD_VALUE_ASC'
  /** By `title_field_value`, descending. */
  | 'TITLE_FIELD_VALUE_DESC'
  /** By `_status`, ascending. */
  | 'STATUS_ASC'
  /** By `_status`, descending. */
  | 'STATUS_DESC'
  /** By `_publish_at`, ascending. */
  | 'PUBLISH_AT_ASC'
  /** By `_publish_at`, descending. */
  | 'PUBLISH_AT_DESC'
  /** By `title`, ascending. */
  | 'TITLE_ASC'
  /** By `title`, descending. */
  | 'TITLE_DESC'
  /** By `year`, ascending. */
  | 'YEAR_ASC'
  /** By `year`, descending. */
  | 'YEAR_DESC';

export type FilmsQueryVariables = Exact<{
  where?: FilmWhere | null | undefined;
  sort?: Array<FilmSort> | FilmSort | null | undefined;
}>;


export type FilmsQuery = { films: { totalCount: number | null, nodes: Array<{ slug: string, title: string | null, year: number | null }> } | null };


export const FilmsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Films"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"FilmWhere"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sort"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"FilmSort"}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"films"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sort"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"slug"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"year"}}]}}]}}]}}]} as unknown as DocumentNode<FilmsQuery, FilmsQueryVariables>;
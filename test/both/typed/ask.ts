// Asks both schemas.
import type { Caller } from '../../support/as.ts';
import { expectData } from '../../support/expect.ts';

export type Row = Readonly<Record<string, unknown>>;
export interface Page {
  readonly nodes: readonly Row[];
}

/** An entry that was created: what REST says of it. */
export interface Made extends Row {
  readonly id: string;
  readonly slug: string;
}

async function ask<Data>(caller: Caller, document: string, variables: Row, path: string): Promise<Data> {
  return expectData(await caller.gql<Data>(document, { ...variables }, { path }));
}
/** Asks the schema of the site. */
export const typed = <Data>(caller: Caller, document: string, variables: Row = {}): Promise<Data> =>
  ask(caller, document, variables, '/graphql/site');

/** Asks the static schema. */
export const plain = <Data>(caller: Caller, document: string, variables: Row = {}): Promise<Data> =>
  ask(caller, document, variables, '/graphql');

/** A file as inputs take it. */
export function typedFile({ content_type: contentType, ...file }: Row): Row {
  return { ...file, ...(contentType !== undefined && { contentType }) };
}

// How GraphiQL's operations are sent: with the credentials that were entered, and subscriptions to the path that streams.
import type { Fetcher, FetcherParams } from '@graphiql/toolkit';
import { getOperationAST, OperationTypeNode, parse, type DocumentNode } from 'graphql';
import { createClient } from 'graphql-sse';
import { credentialHeaders } from '../shared/credentials.ts';

/** Makes the function that sends operations to a path. */
export function createFetcher(door: string): Fetcher {
  return (params, options) => {
    const headers = { ...credentialHeaders(), ...withoutEmpty(options?.headers ?? {}) };
    if (isSubscription(params, options?.documentAST)) return stream(params, headers);
    return send(door, params, headers);
  };
}

/** The headers of GraphiQL's editor that have a value. */
function withoutEmpty(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function isSubscription({ query, operationName }: FetcherParams, document?: DocumentNode): boolean {
  return getOperationAST(document ?? parse(query), operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
}

async function send(door: string, params: FetcherParams, headers: Record<string, string>): Promise<object> {
  const response = await fetch(door, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: JSON.stringify(params),
  });
  return (await response.json()) as object;
}

function stream(
  { query, operationName, variables }: FetcherParams,
  headers: Record<string, string>,
): AsyncIterable<object> {
  const client = createClient({ url: 'graphql/stream', headers, retryAttempts: 0 });
  const named = operationName === null || operationName === undefined ? {} : { operationName };
  return client.iterate({ query, ...named, variables: variables as Record<string, unknown> });
}

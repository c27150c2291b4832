// The two schemas: that of every site is known when the page is built, that of one site is asked for with its token.
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { credentialHeaders } from '../shared/credentials.ts';

const files = import.meta.glob<string>('../../schema/*.graphql', { query: '?raw', import: 'default', eager: true });

/** The schema of `/graphql`, whose documentation needs no token. */
export const staticSchema = buildSchema(Object.values(files).join('\n'));

interface Answer {
  readonly data?: IntrospectionQuery;
  readonly errors?: readonly { readonly message: string }[];
  readonly detail?: string;
}

/**
 * Asks for the schema of a site.
 * @throws Error that says why there is none: nothing is served there, or the token may not see it
 */
export async function loadSchema(door: string): Promise<GraphQLSchema> {
  const response = await fetch(door, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...credentialHeaders() },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  const answer = (await response.json().catch(() => ({}))) as Answer;
  if (answer.data) return buildClientSchema(answer.data);
  throw new Error(answer.errors?.[0]?.message ?? answer.detail ?? `HTTP ${String(response.status)}`);
}

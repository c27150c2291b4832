// The two schemas: that of every site is known when the page is built, that of one site is asked for with its token.
import { buildSchema, type GraphQLSchema } from 'graphql';
import { credentialHeaders } from '../shared/credentials.ts';

const files = import.meta.glob<string>('../../schema/*.graphql', { query: '?raw', import: 'default', eager: true });

/** The schema of `/graphql`, whose documentation needs no token. */
export const staticSchema = buildSchema(Object.values(files).join('\n'));

interface Refusal {
  readonly errors?: readonly { readonly message: string }[];
}

/**
 * Asks for the schema of a site as text: public tokens get it in production, too, and there is no site that is too large.
 * @throws Error that says why there is none
 */
export async function loadSiteSchema(): Promise<GraphQLSchema> {
  const response = await fetch('graphql/site/schema.graphql', { headers: credentialHeaders() });
  if (response.ok) return buildSchema(await response.text());
  const { errors } = (await response.json().catch(() => ({}))) as Refusal;
  throw new Error(errors?.[0]?.message ?? `HTTP ${String(response.status)}`);
}

// Reads and creates channels of the service, through GraphQL.
import type { FieldDefinition } from '../../../../src/fields/definition.ts';
import type { FieldType } from '../../../../src/fields/types.ts';
import { Refusal } from '../terminal/refusal.ts';
import { assertSuccess, type ApiClient } from './apiClient.ts';

export interface RemoteChannel {
  readonly id: string;
  readonly fields: readonly FieldDefinition[];
}

/** A channel to create. */
export interface ChannelPlan {
  readonly id: string;
  readonly titleField: string | null;
  readonly publishable: boolean;
  readonly fields: readonly { readonly name: string; readonly type: FieldType }[];
}

interface GraphqlResponse {
  readonly data?: { readonly channel?: RemoteChannel | null } | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly errors?: readonly { readonly message?: string }[] };
  }[];
}

const channelQuery = `query ($id: ID!) { channel(id: $id) {
  id fields { name type label hint required unique indexed default options channel min max pattern message }
} }`;
const channelMutation = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';

/** A channel with its declared fields; null where it does not exist. @throws {Refusal} where the service refuses */
export async function fetchRemoteChannel(client: ApiClient, id: string): Promise<RemoteChannel | null> {
  const { data, errors } = await queryGraphql(
    client,
    `Can't read the channel "${id}"`,
    channelQuery,
    { id },
    'NOT_FOUND',
  );
  if (errors || !data?.channel) return null;
  return {
    id,
    fields: data.channel.fields.map((field) => ({ ...field, type: field.type.toLowerCase() as FieldType })),
  };
}

/**
 * Creates a channel. If it exists by now, an earlier request whose answer was lost has created it.
 * @throws {Refusal} where the service refuses
 */
export async function makeChannel(client: ApiClient, plan: ChannelPlan): Promise<void> {
  const { titleField, ...rest } = plan;
  const fields = plan.fields.map(({ name, type }) => ({ name, type: type.toUpperCase() }));
  const input = { ...rest, ...(titleField !== null && { titleField }), fields };
  await queryGraphql(client, `Can't create the channel "${plan.id}"`, channelMutation, { input }, 'CONFLICT');
}

/** @param expected the code of an error that is not a failure */
async function queryGraphql(
  client: ApiClient,
  failure: string,
  query: string,
  variables: object,
  expected: string,
): Promise<GraphqlResponse> {
  const response = await client.request('/graphql', { body: JSON.stringify({ query, variables }) });
  const body = (response.body ?? {}) as GraphqlResponse;
  const [error] = body.errors ?? [];
  if (error && error.extensions?.code !== expected) {
    throw new Refusal(`${failure}: ${error.message} ${error.extensions?.errors?.[0]?.message ?? ''}`.trimEnd());
  }
  assertSuccess(response, failure);
  return body;
}

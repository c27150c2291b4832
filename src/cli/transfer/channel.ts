// The channel that content moves to or from, through GraphQL.
import type { FieldDefinition } from '../../fields/definition.ts';
import { Refusal } from '../run.ts';
import { reasonIn, type Service } from './service.ts';

/** What there is to know of a channel. */
export interface RemoteChannel {
  readonly id: string;
  readonly fields: readonly FieldDefinition[];
}

/** A channel to make. */
export interface NewChannel {
  readonly id: string;
  readonly titleField: string | undefined;
  readonly publishable: boolean;
  readonly fields: readonly Pick<FieldDefinition, 'name' | 'type'>[];
}

interface GraphqlAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly errors?: readonly { readonly message?: string }[] };
  }[];
}

const fieldMembers = 'name type label hint required unique indexed default options channel min max pattern';

/** A channel; null where there is none. @throws {Refusal} where the service refuses to say */
export async function loadChannel(service: Service, id: string): Promise<RemoteChannel | null> {
  const query = `query ($id: ID!) { channel(id: $id) { id fields { ${fieldMembers} } } }`;
  const { data, errors } = await run(service, query, { id });
  if (errors?.[0]?.extensions?.code === 'NOT_FOUND') return null;
  if (errors || !data) throw new Refusal(`Can't read the channel "${id}": ${errors?.[0]?.message ?? 'no answer'}`);
  const channel = data['channel'] as RemoteChannel;
  return {
    id: channel.id,
    fields: channel.fields.map((field) => ({ ...field, type: field.type.toLowerCase() as FieldDefinition['type'] })),
  };
}

/**
 * Makes a channel, or finds it made: an answer that was lost is asked for again.
 * @throws {Refusal} where the service refuses
 */
export async function createChannel(service: Service, channel: NewChannel): Promise<void> {
  const { titleField, fields, ...rest } = channel;
  const input = {
    ...rest,
    ...(titleField !== undefined && { titleField }),
    fields: fields.map(({ name, type }) => ({ name, type: type.toUpperCase() })),
  };
  const query = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
  const { errors } = await run(service, query, { input });
  const error = errors?.[0];
  if (!error || error.extensions?.code === 'CONFLICT') return;
  const first = error.extensions?.errors?.[0]?.message;
  throw new Refusal(
    `Can't make the channel "${channel.id}": ${error.message}${first === undefined ? '' : ` ${first}`}`,
  );
}

async function run(service: Service, query: string, variables: object): Promise<GraphqlAnswer> {
  const answer = await service.ask('/graphql', { method: 'POST', body: JSON.stringify({ query, variables }) });
  const body = answer.body as GraphqlAnswer | null;
  if (answer.status !== 200 || !body) {
    throw new Refusal(`The service refuses: ${body?.errors?.[0]?.message ?? reasonIn(answer)}`);
  }
  return body;
}

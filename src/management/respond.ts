// Makes the responses of management: channels, customers, sessions and tokens of a site (docs/contract.md §12.3).
import type { CustomerListInput } from './customers/list.ts';
import { restChannel, type PublicChannel } from '../serializers/channel.ts';
import { restCustomer, type CustomerPage, type PublicCustomer } from './customers/serializer.ts';
import type { MemberListInput } from './members/list.ts';
import { restMember, type MemberPage } from './members/serializer.ts';
import { restRole, type PublicRole } from './roles/serializer.ts';
import type { CursorPage } from '../serializers/connection.ts';
import { makeCursorHeaders } from '../rest/page.ts';
import { addressOf } from '../rest/respond.ts';
import type { Exchange, RestResponse } from '../rest/route.ts';

/** Responds with one object. */
export function respondOne(body: string): RestResponse {
  return { status: 200, headers: {}, body };
}

/** Responds with a created object. @param path its path below the service's address; absent if it has none */
export function respondNew(body: string, { context }: Exchange<unknown>, ...path: readonly string[]): RestResponse {
  const headers = path.length === 0 ? {} : { Location: [context.baseUrl, ...path.map(encodeURIComponent)].join('/') };
  return { status: 201, headers, body };
}

/**
 * Responds with a list of objects.
 * @param write makes the JSON of one
 * @throws answer_too_large
 */
export async function respondList<Thing>(
  things: readonly Thing[],
  write: (thing: Thing) => string | Promise<string>,
  {
    context: {
      admission: { budget },
    },
  }: Exchange<unknown>,
  headers: Readonly<Record<string, string>> = {},
): Promise<RestResponse> {
  const written: string[] = [];
  for (const thing of things) {
    const text = await write(thing);
    budget.takeAnswer(Buffer.byteLength(text));
    written.push(text);
  }
  return { status: 200, headers, body: `[${written.join(',')}]` };
}

/** Responds with the channels of a site. */
export function respondChannels(
  channels: readonly PublicChannel[],
  exchange: Exchange<unknown>,
): Promise<RestResponse> {
  return respondList(channels, restChannel, exchange);
}

/** Responds with a created channel, and its address. */
export async function respondNewChannel(channel: PublicChannel, exchange: Exchange<unknown>): Promise<RestResponse> {
  return respondNew(await restChannel(channel), exchange, 'channels', channel.id);
}

/** Responds with a created customer, and its address. */
export function respondNewCustomer(customer: PublicCustomer, exchange: Exchange<unknown>): RestResponse {
  return respondNew(restCustomer(customer), exchange, 'customers', customer.id);
}

/** Responds with a page of customers, as an array. */
export function respondCustomers(page: CustomerPage, exchange: Exchange<CustomerListInput>): Promise<RestResponse> {
  return respondPage(page, restCustomer, exchange);
}

/** Responds with a page of members, as an array. */
export function respondMembers(page: MemberPage, exchange: Exchange<MemberListInput>): Promise<RestResponse> {
  return respondPage(page, restMember, exchange);
}

/** Responds with a created role, and its address. */
export function respondNewRole(role: PublicRole, exchange: Exchange<unknown>): RestResponse {
  return respondNew(restRole(role), exchange, 'roles', role.id);
}

function respondPage<Node>(
  { nodes, pageInfo: { hasNextPage, endCursor } }: CursorPage<Node>,
  write: (node: Node) => string,
  exchange: Exchange<{ readonly size: number }>,
): Promise<RestResponse> {
  const { request, input, context } = exchange;
  const next = hasNextPage ? (endCursor ?? undefined) : undefined;
  const headers = makeCursorHeaders(addressOf(request, context), input.size, next);
  return respondList(nodes, write, exchange, headers);
}

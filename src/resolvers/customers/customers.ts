// Customers: managed with master tokens (docs/contract.md §1, §7). They are never deleted, so that an id is never used again.
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { fail } from '../../errors.ts';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql/types.ts';
import type { Customer, Prisma } from '../../generated/prisma/client.ts';
import { makeCursor, readCursor } from '../../inputs/cursor.ts';
import { checkCustomerPatch, checkNewCustomer, type CustomerData } from '../../inputs/customer.ts';
import { readSize } from '../../inputs/page.ts';
import { presentCustomer, type CustomerPage } from '../../serializers/customer.ts';
import { requireMaster } from '../shared.ts';

/** Fetches a customer. */
export const customer = (async (_parent, args, context) => {
  requireMaster(context);
  return presentCustomer(await customerNamed(context, args.id));
}) satisfies QueryResolvers['customer'];

/** Lists the site's customers, newest first. */
export const customers = (async (_parent, { first, after }, context) => {
  requireMaster(context);
  const size = readSize(first);
  const rows = await context.db.customer.findMany({
    where: { siteId: context.site, ...(typeof after === 'string' && behind(after, context)) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    // One row more than the page tells whether there is another page.
    take: size + 1,
  });
  return presentPage(rows, size, typeof after === 'string', context);
}) satisfies QueryResolvers['customers'];

/** Creates a customer. */
export const createCustomer = (async (_parent, { input }, context) => {
  requireMaster(context);
  const { id, ...data } = checkNewCustomer(input);
  const { site: siteId, now } = context;
  const values = { ...data, siteId, id: id ?? uuidv7(), createdAt: now, updatedAt: now };
  const [row] = await context.db.customer.createManyAndReturn({ data: [values], skipDuplicates: true });
  return presentCustomer(row ?? idTaken());
}) satisfies MutationResolvers['createCustomer'];

/** Updates a customer: data present are set, null clears, absent ones stay. One that changes nothing stores nothing. */
export const updateCustomer = (async (_parent, { id, input }, context) => {
  requireMaster(context);
  const before = await customerNamed(context, id);
  const data = checkCustomerPatch(input);
  if (!differs(before, data)) return presentCustomer(before);
  const [row] = await context.db.customer.updateManyAndReturn({
    where: { siteId: context.site, id },
    data: { ...data, updatedAt: context.now },
  });
  await context.directory.settle();
  return presentCustomer(row ?? noSuchCustomer());
}) satisfies MutationResolvers['updateCustomer'];

/**
 * The customer of an id in the caller's site.
 * @throws not_found
 */
export async function customerNamed({ db, site: siteId }: Context, id: string): Promise<Customer> {
  return (await db.customer.findUnique({ where: { siteId_id: { siteId, id } } })) ?? noSuchCustomer();
}

function noSuchCustomer(): never {
  fail('not_found', 'There is no such customer.');
}

function idTaken(): never {
  fail('conflict', {
    detail: 'The id is taken.',
    errors: [{ field: 'id', code: 'taken', message: 'is another customer’s' }],
  });
}

function differs(before: Customer, { email, name, roles }: Partial<CustomerData>): boolean {
  const hasOtherRoles = roles !== undefined && JSON.stringify(roles) !== JSON.stringify(before.roles);
  return (
    (email !== undefined && email !== before.email) || (name !== undefined && name !== before.name) || hasOtherRoles
  );
}

/** What a cursor of customers belongs to. */
function listOf({ site }: Context): unknown {
  return { site, of: 'customers' };
}

/** A place in the list: when a customer was created, and its id. */
const placeShape = z.tuple([z.iso.datetime().refine((time) => !time.startsWith('0000')), z.string().max(255)]);

/**
 * The customers behind a place in the list. The bound on the first key lets an index range serve it, however deep.
 * @throws bad_request where the cursor is malformed or belongs to another list
 */
function behind(after: string, context: Context): Prisma.CustomerWhereInput {
  const [time, id] = placeShape.parse(
    readCursor(listOf(context), after, (place) => placeShape.safeParse(place).success),
  );
  const createdAt = new Date(time);
  return { createdAt: { lte: createdAt }, OR: [{ createdAt: { lt: createdAt } }, { id: { lt: id } }] };
}

function presentPage(rows: readonly Customer[], size: number, isBehind: boolean, context: Context): CustomerPage {
  const edges = rows.slice(0, size).map((row) => ({
    cursor: makeCursor(listOf(context), [row.createdAt.toISOString(), row.id]),
    node: presentCustomer(row),
  }));
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: isBehind,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: () => context.db.customer.count({ where: { siteId: context.site } }),
  };
}

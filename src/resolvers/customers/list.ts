// Lists the customers of a site, newest first (docs/contract.md §7).
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Customer, Prisma } from '../../generated/prisma/client.ts';
import { makeCursor, readCursor } from '../../inputs/cursor.ts';
import { readSize } from '../../inputs/list.ts';
import { managers } from '../../rules/callers.ts';
import { presentCustomer, type CustomerPage } from '../../serializers/customer.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';

interface ListCustomersArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

interface CustomerListInput {
  readonly size: number;
  readonly after: string | null;
}

/** The condition of the page; none for the first. */
type CustomerListStart = Prisma.CustomerWhereInput;

export const listCustomers: Operation<
  ListCustomersArguments,
  CustomerListInput,
  CustomerListStart,
  readonly Customer[],
  CustomerPage,
  Context
> = {
  callers: managers,

  parse: ({ first, after }) => ({ size: readSize(first), after: after ?? null }),

  load: ({ after }, { site }) => Promise.resolve(after === null ? {} : startBehind(after, site)),

  authorize: authorizedByLoad,

  run: (start, { size }, { db, site: siteId }) =>
    db.customer.findMany({
      where: { siteId, ...start },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      // One row more than the page has tells whether there is another page.
      take: size + 1,
    }),

  present: (rows, _start, { size, after }, { db, site }) => {
    const edges = rows.slice(0, size).map((row) => ({
      cursor: makeCursor(listIdentity(site), [row.createdAt.toISOString(), row.id]),
      node: presentCustomer(row),
    }));
    return {
      nodes: edges.map(({ node }) => node),
      edges,
      pageInfo: {
        hasNextPage: rows.length > size,
        hasPreviousPage: after !== null,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
      totalCount: () => db.customer.count({ where: { siteId: site } }),
    };
  },
};

/** A cursor holds for the list of one site alone. */
function listIdentity(site: string): unknown {
  return { site, of: 'customers' };
}

/** A place in the list: when a customer was created, and its id. */
const placeShape = z.tuple([z.iso.datetime().refine((time) => !time.startsWith('0000')), z.string().max(255)]);

/**
 * The customers behind a place in the list. The bound on the first key lets an index range serve it, however deep it is.
 * @throws bad_request where the cursor is malformed or belongs to another list
 */
function startBehind(after: string, site: string): CustomerListStart {
  const isPlace = (place: unknown): boolean => placeShape.safeParse(place).success;
  const [time, id] = placeShape.parse(readCursor(listIdentity(site), after, isPlace));
  const createdAt = new Date(time);
  return { createdAt: { lte: createdAt }, OR: [{ createdAt: { lt: createdAt } }, { id: { lt: id } }] };
}

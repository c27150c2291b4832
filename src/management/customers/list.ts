// Lists the customers of a site, newest first (docs/contract.md §7).
import { z } from 'zod';
import { inNfc } from '../../fields/text.ts';
import type { Customer, Prisma } from '../../generated/prisma/client.ts';
import { makeCursor, readCursor } from '../../inputs/lists/cursor.ts';
import { readSize } from '../../inputs/lists/list.ts';
import { managers } from '../../rules/callers.ts';
import { makeCursorPage } from '../../serializers/connection.ts';
import { presentCustomer, type CustomerPage } from './serializer.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

interface ListCustomersArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly name?: string | null;
  readonly email?: string | null;
}

/** The members to filter customers by, case-sensitively; absent ones match any value. */
interface CustomerFilter {
  readonly name?: string;
  readonly email?: string;
}

export interface CustomerListInput {
  readonly size: number;
  readonly after: string | null;
  readonly filter: CustomerFilter;
}

/** The condition that selects the rows of a page; empty for the first page. */
type CustomerListStart = Prisma.CustomerWhereInput;

export const listCustomers: ManagementOperation<{
  args: ListCustomersArguments;
  input: CustomerListInput;
  done: readonly Customer[];
  result: CustomerPage;
}> = {
  name: 'listCustomers',
  callers: managers,
  needs: ['customers'],

  parse: ({ first, after, name, email }) => ({
    size: readSize(first),
    after: after ?? null,
    filter: { ...(typeof name === 'string' && { name }), ...(typeof email === 'string' && { email }) },
  }),

  run: ({ after, size, filter }, { services: { db }, site: siteId }) => {
    const start = after === null ? {} : startBehind(after, identifyCustomerList(siteId, filter));
    return db.customer.findMany({
      where: { siteId, ...filterWhere(filter), ...start },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      // Reads one row more than the page holds, to detect a next page.
      take: size + 1,
    });
  },

  present: (rows, { filter, ...page }, { services: { db }, site }) =>
    makeCursorPage(
      rows,
      page,
      (row) => ({
        cursor: makeCursor(identifyCustomerList(site, filter), [row.createdAt.toISOString(), row.id]),
        node: presentCustomer(row),
      }),
      () => db.customer.count({ where: { siteId: site, ...filterWhere(filter) } }),
    ),
};

/**
 * Converts a filter to a condition: texts in form C, and as they are sent, because an older release may have stored
 * another form.
 */
function filterWhere(filter: CustomerFilter): Prisma.CustomerWhereInput {
  const eitherForm = (text: string): { in: string[] } => ({ in: [inNfc(text), text] });
  return {
    ...(filter.name !== undefined && { name: eitherForm(filter.name) }),
    ...(filter.email !== undefined && { email: eitherForm(filter.email) }),
  };
}

/** The identity of the list that a cursor is bound to: a cursor of another list is refused. */
function identifyCustomerList(site: string, filter: CustomerFilter): unknown {
  return { site, of: 'customers', ...filter };
}

/** A position in the list: the creation time of a customer, and its id. */
const customerPosition = z.tuple([z.iso.datetime().refine((time) => !time.startsWith('0000')), z.string().max(255)]);

/**
 * The condition for the customers after a cursor's position. Its bound on the first key makes it an index range, so
 * that the cost does not grow with the depth of the page.
 * @throws bad_request if the cursor is malformed or belongs to another list
 */
function startBehind(after: string, list: unknown): CustomerListStart {
  const [time, id] = readCursor(list, after, customerPosition);
  const createdAt = new Date(time);
  return { createdAt: { lte: createdAt }, OR: [{ createdAt: { lt: createdAt } }, { id: { lt: id } }] };
}

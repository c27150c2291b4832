// The customers of the site, newest first.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Customer } from '../api/types.ts';
import { Empty, Loading, ProblemNotice } from '../parts/Notice.tsx';
import { showTime } from '../parts/times.ts';
import { useSession } from '../shell/session.tsx';
import { CustomerDialog } from './CustomerDialog.tsx';
import { formatRoles } from './roles.ts';
import { useTitle } from '../shell/useTitle.ts';

export function Customers(): ReactNode {
  useTitle('Customers');
  const { send } = useSession();
  const [email, setEmail] = useState('');
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [isOpen, setIsOpen] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['customers', email, cursors],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { per_page: '25', email: email === '' ? null : email, cursor: cursors.at(-1) };
      const { body, headers } = await send('GET', '/customers', { query, signal });
      return { customers: body as readonly Customer[], next: headers.get('X-Next-Cursor') };
    },
  });
  const next = data?.next ?? null;
  const move = (to: readonly string[]): void => {
    setCursors(to);
    window.scrollTo(0, 0);
  };
  return (
    <>
      <h1>Customers</h1>
      <EmailFilter
        onFilter={(address) => {
          setEmail(address);
          setCursors([]);
        }}
      />
      <div className="row">
        <button type="button" className="primary" onClick={() => setIsOpen(true)}>
          New customer
        </button>
      </div>
      {error && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && !data && <Loading what="customers" />}
      {data?.customers.length === 0 && <Empty>There are no such customers.</Empty>}
      {data && data.customers.length > 0 && <CustomerTable customers={data.customers} />}
      <nav className="row" aria-label="Pages">
        <button type="button" disabled={cursors.length === 0} onClick={() => move(cursors.slice(0, -1))}>
          Previous
        </button>
        <button type="button" disabled={next === null} onClick={() => next !== null && move([...cursors, next])}>
          Next
        </button>
      </nav>
      {isOpen && <CustomerDialog customer={null} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function EmailFilter({ onFilter }: { readonly onFilter: (email: string) => void }): ReactNode {
  const [typed, setTyped] = useState('');
  return (
    <form
      role="search"
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        onFilter(typed.trim());
      }}
    >
      <input
        aria-label="The whole email address"
        placeholder="The whole email address"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <button type="submit">Find</button>
    </form>
  );
}

function CustomerTable({ customers }: { readonly customers: readonly Customer[] }): ReactNode {
  return (
    <table className="cards">
      <caption className="unseen">Customers</caption>
      <thead>
        <tr>
          <th scope="col">Customer</th>
          <th scope="col">Email</th>
          <th scope="col">Roles</th>
          <th scope="col">Created</th>
        </tr>
      </thead>
      <tbody>
        {customers.map((customer) => (
          <tr key={customer.id}>
            <td data-label="Customer">
              <Link href={`/customers/${encodeURIComponent(customer.id)}`}>{customer.name ?? customer.id}</Link>
            </td>
            <td data-label="Email">{customer.email ?? '–'}</td>
            <td data-label="Roles">{formatRoles(customer.roles) || '–'}</td>
            <td data-label="Created">{showTime(customer.created_at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

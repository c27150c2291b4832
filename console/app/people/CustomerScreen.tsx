// One customer and their sessions.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { path } from '../api/path.ts';
import type { Credential, Customer } from '../api/types.ts';
import { Loading, ProblemNotice } from '../parts/Notice.tsx';
import { Secret } from '../parts/Secret.tsx';
import { usePreview } from '../preview/context.tsx';
import { useSession } from '../shell/session.tsx';
import { Credentials } from './Credentials.tsx';
import { CustomerDialog } from './CustomerDialog.tsx';
import { formatRoles } from './roles.ts';
import { useTitle } from '../shell/useTitle.ts';

export function CustomerScreen({ id }: { readonly id: string }): ReactNode {
  const { send } = useSession();
  const { setPreview } = usePreview();
  const [isOpen, setIsOpen] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['customers', 'one', id],
    queryFn: async ({ signal }) => (await send('GET', path`/customers/${id}`, { signal })).body as Customer,
  });
  useTitle(data && (data.name ?? data.id), 'Customers');
  return (
    <>
      <p>
        <Link href="/customers">← Customers</Link>
      </p>
      {error && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && !data && <Loading what="the customer" />}
      {data && (
        <>
          <h1>{data.name ?? data.id}</h1>
          <p>
            <code>{data.id}</code>
            {data.email !== null && `, ${data.email}`}
            {data.roles.length > 0 && `, roles: ${formatRoles(data.roles)}`}
          </p>
          <div className="row">
            <button type="button" onClick={() => setIsOpen(true)}>
              Change …
            </button>
            <button type="button" onClick={() => setPreview({ as: `customer:${data.id}`, at: null })}>
              See the site as this customer
            </button>
          </div>
          <Sessions customer={data.id} />
          {isOpen && <CustomerDialog customer={data} onClose={() => setIsOpen(false)} />}
        </>
      )}
    </>
  );
}

const lifetimes = { 3600: 'an hour', 86400: 'a day', 2592000: '30 days' } as const;

function Sessions({ customer }: { readonly customer: string }): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [seconds, setSeconds] = useState('86400');
  const queryKey = ['sessions', customer];
  const to = path`/customers/${customer}/sessions`;
  const list = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await send('GET', to, { signal })).body as readonly Credential[],
  });
  const make = useMutation({
    // The answer has the session's token: it is kept no longer than it is shown.
    gcTime: 0,
    mutationFn: async () => (await send('POST', to, { body: { ttl_seconds: Number(seconds) } })).body as Credential,
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  return (
    <section aria-label="Sessions">
      <h2>Sessions</h2>
      <div className="row">
        <label>
          For{' '}
          <select value={seconds} onChange={({ target }) => setSeconds(target.value)}>
            {Object.entries(lifetimes).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={make.isPending} onClick={() => make.mutate()}>
          Make a session
        </button>
      </div>
      {make.error && <ProblemNotice error={make.error} />}
      <Credentials
        what="session"
        list={list}
        remove={(id) => send('DELETE', path`/sessions/${id}`)}
        onRemoved={() => void client.invalidateQueries({ queryKey })}
      />
      {make.data?.token !== undefined && (
        <Secret title="The new session" secret={make.data.token} onClose={() => make.reset()} />
      )}
    </section>
  );
}

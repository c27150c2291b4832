// The open invitations of the site: made, shown once as a link, and revoked.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { path } from '../api/path.ts';
import { Problem } from '../api/problem.ts';
import { Confirm } from '../parts/Confirm.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Labelled } from '../parts/Labelled.tsx';
import { Empty, Loading, ProblemNotice } from '../parts/Notice.tsx';
import { Secret } from '../parts/Secret.tsx';
import { showTime } from '../parts/times.ts';
import { useSession } from '../shell/session.tsx';
import { useTitle } from '../shell/useTitle.ts';
import { PeopleTabs } from './PeopleTabs.tsx';
import { nameRole, useRoles } from './queries.ts';
import { RoleChoice } from './RoleChoice.tsx';

interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly created_at: string;
  readonly expires_at: string;
  /** Only the answer that makes it has its link. */
  readonly url?: string;
}

const queryKey = ['invitations'];

export default function Invitations(): ReactNode {
  useTitle('Invitations');
  const { send } = useSession();
  const client = useQueryClient();
  const roles = useRoles().data ?? [];
  const [isOpen, setIsOpen] = useState(false);
  const [asked, setAsked] = useState<Invitation | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await send('GET', '/invitations', { signal })).body as readonly Invitation[],
  });
  const nameOf = (id: string): string => nameRole(roles.find((role) => role.id === id) ?? { id, name: null });
  return (
    <>
      <h1>Invitations</h1>
      <PeopleTabs />
      <div className="row">
        <button type="button" className="primary" onClick={() => setIsOpen(true)}>
          Invite somebody
        </button>
      </div>
      {error && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && !data && <Loading what="invitations" />}
      {data?.length === 0 && <Empty>No invitation is open.</Empty>}
      {data && data.length > 0 && (
        <table className="cards">
          <caption className="unseen">Open invitations</caption>
          <thead>
            <tr>
              <th scope="col">Email</th>
              <th scope="col">Roles</th>
              <th scope="col">Open until</th>
              <th scope="col">
                <span className="unseen">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((each) => (
              <tr key={each.id}>
                <td data-label="Email">{each.email}</td>
                <td data-label="Roles">{each.roles.length === 0 ? 'none' : each.roles.map(nameOf).join(', ')}</td>
                <td data-label="Open until">{showTime(each.expires_at)}</td>
                <td>
                  <button type="button" className="danger" onClick={() => setAsked(each)}>
                    Revoke <span className="unseen">the invitation of {each.email}</span>
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isOpen && <Invite onClose={() => setIsOpen(false)} />}
      {asked && (
        <Confirm
          title="Revoke the invitation?"
          action="Revoke"
          run={() => send('DELETE', path`/invitations/${asked.id}`)}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            void client.invalidateQueries({ queryKey });
          }}
        >
          <p>The link of {asked.email} does not work any more.</p>
        </Confirm>
      )}
    </>
  );
}

function Invite({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const { data: roles = [] } = useRoles();
  const [email, setEmail] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const make = useMutation({
    // The answer has the link: it is kept no longer than it is shown.
    gcTime: 0,
    mutationFn: async () =>
      (await send('POST', '/invitations', { body: { email: email.trim(), roles: chosen } })).body as Invitation,
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  const faults = make.error instanceof Problem ? make.error.details.errors : [];
  if (make.data?.url !== undefined) {
    return <Secret title={`The link for ${make.data.email}`} secret={make.data.url} onClose={onClose} />;
  }
  return (
    <Dialog title="Invite somebody to this site" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Labelled label="Email" problem={faults.find(({ field }) => field === 'email')?.message}>
          {(attributes) => (
            <input
              {...attributes}
              type="email"
              autoComplete="off"
              required
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
          )}
        </Labelled>
        <RoleChoice roles={roles} chosen={chosen} onChange={setChosen} />
        <p>No mail is sent. You get a link that is good once, for 7 days, and is shown only now: give it to them.</p>
        {make.error && <ProblemNotice error={make.error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={make.isPending || email === ''}>
            Make the link
          </button>
        </div>
      </form>
    </Dialog>
  );
}

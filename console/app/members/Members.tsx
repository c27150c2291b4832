// The people who work on the site.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Member } from '../api/types.ts';
import { useHas } from '../api/queries.ts';
import { Loading, ProblemNotice } from '../parts/Notice.tsx';
import { showTime } from '../parts/times.ts';
import { useSession } from '../shell/session.tsx';
import { useTitle } from '../shell/useTitle.ts';
import { nameMember, nameRole, useRoles } from './queries.ts';
import { PeopleTabs } from './PeopleTabs.tsx';

export default function Members(): ReactNode {
  useTitle('Members');
  const { send, session } = useSession();
  const has = useHas();
  const roles = useRoles(has('members')).data ?? [];
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const { data, error, refetch } = useQuery({
    queryKey: ['members', cursors],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { per_page: '50', cursor: cursors.at(-1) };
      const { body, headers } = await send('GET', '/members', { query, signal });
      return { members: body as readonly Member[], next: headers.get('X-Next-Cursor') };
    },
  });
  const next = data?.next ?? null;
  const nameOf = (id: string): string => nameRole(roles.find((role) => role.id === id) ?? { id, name: null });
  const sayRoles = ({ roles: ids = [] }: Member): string => (ids.length === 0 ? 'none' : ids.map(nameOf).join(', '));
  return (
    <>
      <h1>Members</h1>
      <PeopleTabs />
      {error && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && !data && <Loading what="members" />}
      {data && (
        <table className="cards">
          <caption className="unseen">Members</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              {has('members') && <th scope="col">Roles</th>}
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {data.members.map((member) => (
              <tr key={member.user}>
                <td data-label="Name">
                  <span>
                    <Link href={`/members/${encodeURIComponent(member.user)}`}>{nameMember(member)}</Link>{' '}
                    {member.user === session.user?.id && <span className="badge">you</span>}
                    {member.name !== null && member.email !== undefined && (
                      <span className="faint under">{member.email}</span>
                    )}
                  </span>
                </td>
                {has('members') && <td data-label="Roles">{sayRoles(member)}</td>}
                <td data-label="Since">{showTime(member.created_at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(cursors.length > 0 || next !== null) && (
        <nav className="row" aria-label="Pages">
          <button type="button" disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
            Previous
          </button>
          <button
            type="button"
            disabled={next === null}
            onClick={() => next !== null && setCursors([...cursors, next])}
          >
            Next
          </button>
        </nav>
      )}
    </>
  );
}

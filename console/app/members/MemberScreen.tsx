// One member: the roles, what they let somebody do, and the end of the membership.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { path } from '../api/path.ts';
import type { Member } from '../api/types.ts';
import { useHas } from '../api/queries.ts';
import { Confirm } from '../parts/Confirm.tsx';
import { Loading, ProblemNotice } from '../parts/Notice.tsx';
import { showTime } from '../parts/times.ts';
import { usePreview } from '../preview/context.tsx';
import { useSession } from '../shell/session.tsx';
import { useTitle } from '../shell/useTitle.ts';
import { nameMember, useMember, useRoles, type Role } from './queries.ts';
import { Rights } from './Rights.tsx';
import { RoleChoice } from './RoleChoice.tsx';

export default function MemberScreen({ id }: { readonly id: string }): ReactNode {
  const { session } = useSession();
  const { isPossible, setPreview } = usePreview();
  const has = useHas();
  const [, navigate] = useLocation();
  const [isAsked, setIsAsked] = useState(false);
  const { data: member, error, refetch } = useMember(id);
  const { data: roles } = useRoles(has('members'));
  useTitle(member && nameMember(member), 'Members');
  const isOwn = session.user?.id === id;
  return (
    <>
      <p>
        <Link href="/members">← Members</Link>
      </p>
      {error && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && !member && <Loading what="the member" />}
      {member && (
        <>
          <h1>{nameMember(member)}</h1>
          <p className="faint">
            {member.email !== undefined && `${member.email}, `}member since {showTime(member.created_at)}
          </p>
          <div className="row">
            {isPossible && (
              <button
                type="button"
                onClick={() => {
                  setPreview({ as: `member:${id}`, at: null });
                  navigate('/');
                }}
              >
                See entries as {nameMember(member)}
              </button>
            )}
            {(isOwn || has('members')) && (
              <button type="button" className="danger" onClick={() => setIsAsked(true)}>
                {isOwn ? 'Leave the site …' : 'Remove from the site …'}
              </button>
            )}
          </div>
          {roles && member.roles && (
            <Roles key={member.roles.join()} member={member} has={member.roles} roles={roles} />
          )}
          {isAsked && <Removal member={member} isOwn={isOwn} onClose={() => setIsAsked(false)} />}
        </>
      )}
    </>
  );
}

interface RolesProps {
  readonly member: Member;
  readonly has: readonly string[];
  readonly roles: readonly Role[];
}

function Roles({ member, has: before, roles }: RolesProps): ReactNode {
  const { send } = useSession();
  const client = useQueryClient();
  const [chosen, setChosen] = useState(before);
  const save = useMutation({
    mutationFn: () => send('PATCH', path`/members/${member.user}`, { body: { roles: chosen } }),
    onSuccess: () =>
      Promise.all([['members'], ['me'], ['rights']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const isChanged = before.length !== chosen.length || before.some((id) => !chosen.includes(id));
  const rights = [...new Set(roles.filter(({ id }) => chosen.includes(id)).flatMap((role) => role.rights))];
  return (
    <div className="halves">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <RoleChoice roles={roles} chosen={chosen} onChange={setChosen} />
        {save.error && <ProblemNotice error={save.error} />}
        <div className="row">
          <button type="submit" className="primary" disabled={!isChanged || save.isPending}>
            Save the roles
          </button>
          <span role="status">{save.isSuccess && !isChanged ? 'Saved' : ''}</span>
        </div>
      </form>
      <section aria-labelledby="may">
        <h2 id="may">What {nameMember(member)} may do</h2>
        <Rights rights={rights} />
      </section>
    </div>
  );
}

interface RemovalProps {
  readonly member: Member;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

function Removal({ member, isOwn, onClose }: RemovalProps): ReactNode {
  const { send, end } = useSession();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const name = nameMember(member);
  return (
    <Confirm
      title={isOwn ? 'Leave the site?' : `Remove ${name} from the site?`}
      action={isOwn ? 'Leave' : 'Remove'}
      run={() => send('DELETE', path`/members/${member.user}`)}
      onClose={onClose}
      onDone={() => {
        // Whoever has left a site has no place on it to go on.
        if (isOwn) void end();
        else {
          void client.invalidateQueries({ queryKey: ['members'] });
          navigate('/members');
        }
      }}
    >
      <p>
        {isOwn ? 'You do' : `${name} does`} not work on this site any more within a second, and{' '}
        {isOwn ? 'lose your roles' : 'loses the roles'}. The account and the entries stay.
      </p>
    </Confirm>
  );
}

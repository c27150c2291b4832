// What is read of members and roles.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { path } from '../api/path.ts';
import type { Member } from '../api/types.ts';
import { useSession } from '../shell/session.tsx';

export interface Role {
  readonly id: string;
  readonly name: string | null;
  readonly rights: readonly string[];
  readonly built_in: boolean;
}

/** How a member is called. */
export function nameMember({ name, email, user }: Member): string {
  return name ?? email ?? user;
}

/** How a role is called: a built-in one by its id, as a name. */
export function nameRole({ id, name }: Pick<Role, 'id' | 'name'>): string {
  return name ?? id.charAt(0).toUpperCase() + id.slice(1);
}

export function useMember(user: string): UseQueryResult<Member> {
  const { send } = useSession();
  return useQuery({
    queryKey: ['members', 'one', user],
    queryFn: async ({ signal }) => (await send('GET', path`/members/${user}`, { signal })).body as Member,
  });
}

/** The roles of the site. @param isAsked whether the session may read them */
export function useRoles(isAsked = true): UseQueryResult<readonly Role[]> {
  const { send } = useSession();
  return useQuery({
    queryKey: ['roles'],
    enabled: isAsked,
    queryFn: async ({ signal }) => (await send('GET', '/roles', { signal })).body as readonly Role[],
  });
}

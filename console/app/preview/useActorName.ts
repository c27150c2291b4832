// How an actor is called on the screens: a member by the name, which is asked for.
import { useQuery } from '@tanstack/react-query';
import { path } from '../api/path.ts';
import type { Member } from '../api/types.ts';
import { useSession } from '../shell/session.tsx';
import { nameActor, parseActor } from './preview.ts';

/** An actor in words, as the subject of a sentence. */
export function useActorName(as: string): string {
  const { send } = useSession();
  const { kind, name } = parseActor(as);
  const { data } = useQuery({
    queryKey: ['members', 'one', name],
    enabled: kind === 'member',
    retry: false,
    queryFn: async ({ signal }) => (await send('GET', path`/members/${name}`, { signal })).body as Member,
  });
  return data === undefined ? nameActor(as) : (data.name ?? data.email ?? nameActor(as));
}

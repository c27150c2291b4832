// Who changed something, by name.
import { Fragment, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { path } from '../api/path.ts';
import type { Actor } from '../api/types.ts';
import { useSession } from '../shell/session.tsx';

/** More people than this are counted, and not named. */
const maxNamed = 3;

/** The names of those who changed something, as the subject of a sentence; `somebody else` for who is not known. */
export function Who({ actors }: { readonly actors: readonly Actor[] }): ReactNode {
  if (actors.length === 0) return 'somebody else';
  const more = actors.length - maxNamed;
  return actors.slice(0, maxNamed).map((actor, index) => (
    <Fragment key={`${actor.kind} ${actor.user ?? actor.customer ?? actor.token ?? ''}`}>
      {index > 0 && (index === actors.length - 1 ? ' and ' : ', ')}
      <OneActor actor={actor} />
      {index === maxNamed - 1 && more > 0 && ` and ${more} more`}
    </Fragment>
  ));
}

function OneActor({ actor: { kind, user, customer, name } }: { readonly actor: Actor }): ReactNode {
  const { session } = useSession();
  if (customer !== null) return `the customer ${customer}`;
  if (user !== null) return user === session.user?.id ? 'you, elsewhere' : <MemberName user={user} />;
  if (kind === 'service') return 'the service, at its time';
  if (kind === 'operator') return `a command of ${name ?? 'an operator'}`;
  return name === null ? `a ${kind} token` : `the ${kind} token “${name}”`;
}

function MemberName({ user }: { readonly user: string }): ReactNode {
  const { send } = useSession();
  const { data } = useQuery({
    queryKey: ['members', 'one', user],
    retry: false,
    queryFn: async ({ signal }) =>
      (await send('GET', path`/members/${user}`, { signal })).body as { name: string | null; email?: string },
  });
  return data?.name ?? data?.email ?? 'another member';
}

// What changed in the site since a screen was loaded. A screen shows a mark, and changes only when somebody asks for it.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import type { Actor, Change } from '../api/types.ts';
import { useSession } from '../shell/session.tsx';
import { noteAnswer } from './connection.ts';
import { followSite, type LiveState } from './follow.ts';

interface Live {
  readonly state: LiveState;
  readonly changes: readonly Change[];
  /** What this tab wrote itself: the version by the entry's id. */
  readonly own: ReadonlyMap<string, number>;
  readonly forget: (isSeen: (change: Change) => boolean) => void;
  readonly noteOwn: (id: string, tag: string | null) => void;
}

const LiveContext = createContext<Live | null>(null);

/** More changes than this are not kept: the mark says so much and no more. */
const maxChanges = 500;

export function LiveProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { session, signOut } = useSession();
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('starting');
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const [own, setOwn] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    const abort = new AbortController();
    const onChange = (change: Change): void => {
      if (change.type.startsWith('channel.')) {
        void client.invalidateQueries({ queryKey: ['channels'] });
        void client.invalidateQueries({ queryKey: ['rights'] });
      } else setChanges((before) => [...before, change].slice(-maxChanges));
    };
    const onEnd = (problem: Problem): void => signOut(`You were signed out: ${problem.message}`);
    const onState = (next: LiveState): void => {
      setState(next);
      if (next !== 'away') noteAnswer();
    };
    void followSite(session, { onChange, onState, onEnd }, abort.signal);
    return () => abort.abort();
  }, [session, client, signOut]);
  useEffect(() => {
    // What did not come while the service was away is asked for again.
    if (state === 'stream' || state === 'polling')
      void client.refetchQueries({ type: 'active', predicate: wasUnreachable });
  }, [state, client]);
  const forget = useCallback((isSeen: (change: Change) => boolean) => {
    setChanges((before) => before.filter((change) => !isSeen(change)));
  }, []);
  const noteOwn = useCallback((id: string, tag: string | null) => {
    const version = tag === null ? Infinity : Number(/^(?:W\/)?"(\d+)\./.exec(tag)?.[1] ?? 0);
    setOwn((before) => new Map(before).set(id, version));
  }, []);
  const live = useMemo(() => ({ state, changes, own, forget, noteOwn }), [state, changes, own, forget, noteOwn]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

function wasUnreachable({ state: { error } }: { readonly state: { readonly error: unknown } }): boolean {
  return error instanceof Problem && error.details.code === 'unreachable';
}

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('useLive is used outside of LiveProvider.');
  return live;
}

interface Changed {
  /** How many entries others changed. */
  readonly count: number;
  /** Who they are, each once. */
  readonly actors: readonly Actor[];
  /** Whether one of them was deleted, or may not be seen any more. */
  readonly isGone: boolean;
  readonly forget: () => void;
}

function distinctActors(changes: readonly Change[]): readonly Actor[] {
  const known = changes.flatMap(({ actor }) => (actor ? [actor] : []));
  const whose = ({ kind, user, customer, token, name }: Actor): string =>
    `${kind} ${user ?? customer ?? token ?? name ?? ''}`;
  return [...new Map(known.map((actor) => [whose(actor), actor])).values()];
}

/** What others changed of the entries of a channel, or of one of them, since they were last looked at. */
export function useChanged(channel: string, id?: string): Changed {
  const { changes, own, forget } = useLive();
  const isMeant = (change: Change): boolean => change.channel === channel && (id === undefined || change.id === id);
  const byOthers = changes.filter((each) => {
    return isMeant(each) && each.id !== null && (each.version ?? Infinity) > (own.get(each.id) ?? -1);
  });
  return {
    count: new Set(byOthers.map((each) => each.id)).size,
    actors: distinctActors(byOthers),
    isGone: byOthers.some(({ type }) => type === 'entry.deleted' || type === 'entry.removed'),
    forget: () => forget(isMeant),
  };
}

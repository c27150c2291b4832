// Who is signed in, for every component: the session, how it sends requests, and how it ends.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { changed, readCredential } from '../../shared/credentials.ts';
import { createSend, type Send } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { loadSession, storeSession, type Session } from '../api/session.ts';

interface SignedIn {
  readonly session: Session;
  readonly send: Send;
  readonly signOut: (reason?: string) => void;
}

const SignedInContext = createContext<SignedIn | null>(null);

/** Who is signed in. Only for components inside of SessionProvider's children. */
export function useSession(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (signedIn === null) throw new Error('useSession is used outside of SessionProvider.');
  return signedIn;
}

interface Props {
  /** What is shown while nobody is signed in. */
  readonly door: (signIn: (session: Session) => void, reason: string | null) => ReactNode;
  readonly children: ReactNode;
}

/** Shows its children to whoever is signed in, and the door to others. A 401 ends the session. */
export function SessionProvider({ door, children }: Props): ReactNode {
  const [session, setSession] = useState(loadSession);
  const [reason, setReason] = useState<string | null>(null);
  const change = (next: Session | null, why: string | null): void => {
    storeSession(next);
    setSession(next);
    setReason(why);
  };
  useEffect(() => {
    // Another tab signed out, or handed over what it has.
    const follow = (): void => {
      const stored = loadSession();
      if (session === null && stored !== null) setSession(stored);
      if (session === null || readCredential('token') !== '') return;
      setSession(null);
      setReason((last) => last ?? 'You were signed out in another tab.');
    };
    addEventListener(changed, follow);
    return () => removeEventListener(changed, follow);
  }, [session]);
  const signedIn = useMemo(() => {
    if (session === null) return null;
    const signOut = (why?: string): void => change(null, why ?? null);
    return { session, send: createSend(session), signOut, client: createClient(signOut) };
  }, [session]);
  if (signedIn === null) return door((next) => change(next, null), reason);
  return (
    <SignedInContext value={signedIn}>
      <QueryClientProvider client={signedIn.client}>{children}</QueryClientProvider>
    </SignedInContext>
  );
}

/** A store of answers. Requests that the service refused are not repeated. */
function createClient(signOut: (reason: string) => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof Problem && error.status === 401) signOut(`You were signed out: ${error.message}`);
  };
  const retry = (failures: number, error: Error): boolean =>
    failures < 2 && error instanceof Problem && [0, 503].includes(error.status);
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry, refetchOnWindowFocus: false, staleTime: 10_000 },
      // A write that cannot be sent fails where one sees it, and is never sent later by itself.
      mutations: { networkMode: 'always' },
    },
  });
}

// Who is signed in, for every component: the session, how it sends requests, and how it ends.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, Fragment, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { changed, forgetEverywhere, forgetHere, isHeld } from '../../shared/credentials.ts';
import { createSend, type Send } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { keepSite, loadSession, type Session } from '../api/session.ts';
import { isChoice, type Entered, type SiteChoice } from '../signin/enter.ts';
import { SignInKeys } from '../signin/keys.ts';
import { rememberSignIn } from '../signin/remembered.ts';
import { endSignIn } from '../signin/requests.ts';
import { SignInAgain } from '../signin/SignInAgain.tsx';

interface SignedIn {
  readonly session: Session;
  readonly send: Send;
  /** Forgets the session, in every tab with it. */
  readonly signOut: (reason?: string) => void;
  /** Forgets it in this tab alone: the sign-in is over, and other tabs may hold what is not saved. */
  readonly leave: () => void;
  /** Ends a sign-in at the service, and forgets the session. @throws Problem if the service does not answer: nothing is forgotten then */
  readonly end: (also?: { readonly everywhere: boolean; readonly tokens: boolean }) => Promise<void>;
  /** Goes on on another site of the user. */
  readonly changeSite: (site: string) => void;
}

const SignedInContext = createContext<SignedIn | null>(null);

/** Who is signed in. Only for components inside of SessionProvider's children. */
export function useSession(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (signedIn === null) throw new Error('useSession is used outside of SessionProvider.');
  return signedIn;
}

interface Props {
  /** Who is signed in when the page opens; a text: why nobody is. */
  readonly first: Entered | string | null;
  /** What is shown while nobody is signed in. */
  readonly door: (signIn: (session: Session) => void, reason: string | null, choice: SiteChoice | null) => ReactNode;
  readonly children: ReactNode;
}

/** Shows its children to whoever is signed in, and the door to others. A 401 ends the session of a token that was pasted. */
export function SessionProvider({ first, door, children }: Props): ReactNode {
  const [choice, setChoice] = useState(() =>
    typeof first === 'object' && first !== null && isChoice(first) ? first : null,
  );
  const [session, setSession] = useState(() =>
    typeof first === 'object' && choice === null ? (first as Session) : null,
  );
  const [reason, setReason] = useState(typeof first === 'string' ? first : null);
  useEffect(() => {
    // Another tab signed out, or handed over what it has.
    const follow = (): void => {
      if (session === null) setSession(loadSession());
      if (session === null || isHeld()) return;
      setSession(null);
      setReason((last) => last ?? 'You were signed out in another tab.');
    };
    addEventListener(changed, follow);
    return () => removeEventListener(changed, follow);
  }, [session]);
  const signedIn = useMemo(() => {
    if (session === null) return null;
    const close = (why?: string): void => {
      // First, so that what is told of it stands in place of what a tab says that was signed out in another.
      setReason(why ?? '');
      setSession(null);
    };
    const signOut = (why?: string): void => {
      close(why);
      forgetEverywhere();
    };
    const leave = (): void => {
      close();
      forgetHere();
    };
    const end: SignedIn['end'] = async (also) => {
      if (session.user !== null) {
        await endSignIn(also);
        rememberSignIn(false);
      }
      signOut();
    };
    const changeSite = (site: string): void => {
      // The filters of a list, and as whom one looks, belong to the site, too.
      sessionStorage.clear();
      keepSite(site);
      setSession({ ...session, site });
    };
    const client = createClient(session, signOut);
    return { session, send: createSend(session), signOut, leave, end, changeSite, client };
  }, [session]);
  if (signedIn === null) {
    const enter = (next: Session): void => {
      setReason(null);
      setChoice(null);
      setSession(next);
    };
    return door(enter, reason === '' ? null : reason, choice);
  }
  const { keys } = signedIn.session;
  return (
    <SignedInContext value={signedIn}>
      <QueryClientProvider client={signedIn.client}>
        {/* What a screen holds belongs to its site. */}
        <Fragment key={signedIn.session.site}>{children}</Fragment>
        {keys instanceof SignInKeys && <SignInAgain keys={keys} onLeave={signedIn.leave} />}
      </QueryClientProvider>
    </SignedInContext>
  );
}

/** A store of answers. Requests that the service refused are not repeated. */
function createClient({ user }: Session, signOut: (reason: string) => void): QueryClient {
  const onError = (error: Error): void => {
    // What was typed by somebody who is signed in is not thrown away: the sign-in says itself when it has ended.
    if (user === null && error instanceof Problem && error.status === 401)
      signOut(`You were signed out: ${error.message}`);
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

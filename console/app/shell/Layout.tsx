// What stands around every screen: where one can go, who is signed in, and as whom one reads.
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useChannels, useHas } from '../api/queries.ts';
import { useConnected } from '../live/connection.ts';
import { useLive } from '../live/live.tsx';
import type { LiveState } from '../live/follow.ts';
import { PreviewBar } from '../preview/PreviewBar.tsx';
import type { Session } from '../api/session.ts';
import type { User } from '../api/types.ts';
import { useSession } from './session.tsx';
import { SitePicker } from './SitePicker.tsx';
import { SignOut } from './SignOut.tsx';

const liveNames: Readonly<Record<LiveState, string>> = {
  starting: 'connecting …',
  stream: 'live',
  polling: 'asks every 5 s',
  away: 'no connection',
};

export function Layout({ children }: { readonly children: ReactNode }): ReactNode {
  const { session } = useSession();
  const { state } = useLive();
  const isConnected = useConnected();
  const shown = isConnected ? state : 'away';
  const has = useHas();
  return (
    <>
      <a className="skip" href="#main" onClick={skip}>
        To the content
      </a>
      <header className="top">
        <div className="row">
          <Link className="brand" href="/">
            Entryway
          </Link>
          <nav aria-label="Site" className="row">
            <NavLink href="/">Channels</NavLink>
            {has('customers') && <NavLink href="/customers">Customers</NavLink>}
            {session.kind !== 'public' && <NavLink href="/members">Members</NavLink>}
            {has('tokens') && <NavLink href="/tokens">Tokens</NavLink>}
          </nav>
          <span className="grow" />
          <nav aria-label="Other pages" className="row others">
            <a href="graphql">GraphQL</a>
            <a href="docs">REST</a>
          </nav>
          <span className={`badge live ${shown}`}>{liveNames[shown]}</span>
          {session.user === null ? (
            <span className="badge">
              {session.kind} token{session.site !== null && `, ${session.site}`}
            </span>
          ) : (
            <WhoIsIn session={session} user={session.user} />
          )}
          <SignOut />
        </div>
        {!isConnected && <NoConnection />}
        <PreviewBar />
      </header>
      <div className="columns-2">
        <ChannelNav />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  );
}

/** Who is signed in, and the site, which somebody who works on several can change. */
function WhoIsIn({ session: { site, sites }, user }: { readonly session: Session; readonly user: User }): ReactNode {
  return (
    <>
      {sites.length > 1 ? <SitePicker /> : <span className="badge">{site}</span>}
      <NavLink href="/account">{user.name ?? user.email}</NavLink>
    </>
  );
}

/** Says what is kept and what waits while the connection is lost. */
function NoConnection(): ReactNode {
  return (
    <p className="strip" role="status">
      <strong>No connection.</strong> What you type is kept in this tab, and is not saved by itself. Lists load when the
      connection is back.
    </p>
  );
}

/** The address belongs to the screens: the link moves the focus instead. */
function skip(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** The screens that belong to a link of the navigation, and have other paths. */
const below: Readonly<Record<string, readonly string[]>> = {
  '/': ['/channels'],
  '/members': ['/invitations', '/roles'],
};

function NavLink({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactNode {
  const [location] = useLocation();
  const isBelow = below[href]?.some((path) => location.startsWith(path)) ?? false;
  const isHere = isBelow || (href === '/' ? location === '/' : location.startsWith(href));
  return (
    <Link href={href} aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  );
}

function ChannelNav(): ReactNode {
  const { data = [] } = useChannels();
  return (
    <nav aria-label="Channels" className="side">
      {data.map(({ id, name }) => (
        <NavLink key={id} href={`/channels/${encodeURIComponent(id)}`}>
          {name}
        </NavLink>
      ))}
    </nav>
  );
}

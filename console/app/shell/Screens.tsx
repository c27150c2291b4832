// Which screen an address shows.
import { lazy, Suspense, useEffect, type ComponentType, type ReactNode } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useChannels } from '../api/queries.ts';
import type { Channel } from '../api/types.ts';
import { ChannelScreen } from '../channels/ChannelScreen.tsx';
import { Home } from '../channels/Home.tsx';
import { EntryScreen } from '../entry/EntryScreen.tsx';
import { NewEntry } from '../entry/NewEntry.tsx';
import { Boundary } from '../parts/Boundary.tsx';
import { Empty, Loading, ProblemNotice } from '../parts/Notice.tsx';
import { Customers } from '../people/Customers.tsx';
import { CustomerScreen } from '../people/CustomerScreen.tsx';
import { Tokens } from '../people/Tokens.tsx';
import { decodeAddress } from './address.ts';
import { useTitle } from './useTitle.ts';

/** A screen whose code is loaded when it is opened first. */
function later<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): (props: Props) => ReactNode {
  const Screen = lazy(load);
  return (props) => (
    <Suspense fallback={<Loading what="the screen" />}>
      <Screen {...props} />
    </Suspense>
  );
}

const Account = later(() => import('../account/Account.tsx'));
const Members = later(() => import('../members/Members.tsx'));
const MemberScreen = later(() => import('../members/MemberScreen.tsx'));
const Invitations = later(() => import('../members/Invitations.tsx'));
const Roles = later(() => import('../members/Roles.tsx'));

export function Screens(): ReactNode {
  const [location] = useLocation();
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [location]);
  return (
    <Boundary place={location}>
      <Switch>
        <Route path="/customers" component={Customers} />
        <Route path="/customers/:id">
          {({ id }) => <Decoded text={id}>{(decoded) => <CustomerScreen key={decoded} id={decoded} />}</Decoded>}
        </Route>
        <Route path="/tokens" component={Tokens} />
        <Route path="/account" component={Account} />
        <Route path="/members" component={Members} />
        <Route path="/members/:id">
          {({ id }) => <Decoded text={id}>{(decoded) => <MemberScreen key={decoded} id={decoded} />}</Decoded>}
        </Route>
        <Route path="/invitations" component={Invitations} />
        <Route path="/roles" component={Roles} />
        <Route path="/">
          <WithChannels>{(channels) => <Home channels={channels} />}</WithChannels>
        </Route>
        <Route path="/channels/:channel">
          {({ channel }) => (
            <OfChannel id={channel}>{(found) => <ChannelScreen channel={found} view="entries" />}</OfChannel>
          )}
        </Route>
        <Route path="/channels/:channel/fields">
          {({ channel }) => (
            <OfChannel id={channel}>{(found) => <ChannelScreen channel={found} view="fields" />}</OfChannel>
          )}
        </Route>
        <Route path="/channels/:channel/access">
          {({ channel }) => (
            <OfChannel id={channel}>{(found) => <ChannelScreen channel={found} view="access" />}</OfChannel>
          )}
        </Route>
        <Route path="/channels/:channel/new">
          {({ channel }) => (
            <OfChannel id={channel}>{(found) => <NewEntry key={found.id} channel={found} />}</OfChannel>
          )}
        </Route>
        <Route path="/channels/:channel/entries/:id">
          {({ channel, id }) => (
            <OfChannel id={channel}>
              {(found) => (
                <Decoded text={id}>{(decoded) => <EntryScreen key={decoded} channel={found} id={decoded} />}</Decoded>
              )}
            </OfChannel>
          )}
        </Route>
        <Route>
          <NoPage />
        </Route>
      </Switch>
    </Boundary>
  );
}

function NoPage(): ReactNode {
  useTitle('No such page');
  return <Empty>There is no such page in the console.</Empty>;
}

interface DecodedProps {
  readonly text: string;
  readonly children: (decoded: string) => ReactNode;
}

/** Decodes a parameter of the address. */
function Decoded({ text, children }: DecodedProps): ReactNode {
  const decoded = decodeAddress(text);
  return decoded === null ? <NoPage /> : children(decoded);
}

function WithChannels({ children }: { readonly children: (channels: readonly Channel[]) => ReactNode }): ReactNode {
  const { data, error, refetch } = useChannels();
  if (error) return <ProblemNotice error={error} retry={() => void refetch()} />;
  return data ? children(data) : <Loading what="channels" />;
}

interface OfChannelProps {
  /** As the address has it. */
  readonly id: string;
  readonly children: (channel: Channel) => ReactNode;
}

function OfChannel({ id: text, children }: OfChannelProps): ReactNode {
  return (
    <Decoded text={text}>
      {(id) => (
        <WithChannels>
          {(channels) => {
            const channel = channels.find((each) => each.id === id);
            return channel ? children(channel) : <NoChannel id={id} />;
          }}
        </WithChannels>
      )}
    </Decoded>
  );
}

function NoChannel({ id }: { readonly id: string }): ReactNode {
  useTitle('No such channel');
  return <Empty>There is no channel “{id}” that your token may know of.</Empty>;
}

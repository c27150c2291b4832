// One channel: its entries, its fields, its access list.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Channel } from '../api/types.ts';
import { EntryList } from '../entries/EntryList.tsx';
import { ChannelAccess } from './ChannelAccess.tsx';
import { FieldTable } from './FieldTable.tsx';
import { useTitle } from '../shell/useTitle.ts';

const views = { entries: 'Entries', fields: 'Fields', access: 'Access' } as const;
export type View = keyof typeof views;

interface Props {
  readonly channel: Channel;
  readonly view: View;
}

export function ChannelScreen({ channel, view }: Props): ReactNode {
  useTitle(view === 'entries' ? null : views[view], channel.name);
  const base = `/channels/${encodeURIComponent(channel.id)}`;
  return (
    <>
      <h1>{channel.name}</h1>
      {typeof channel.description === 'string' && <p>{channel.description}</p>}
      <nav className="tabs" aria-label="Views of the channel">
        {(Object.keys(views) as View[])
          .filter((each) => each !== 'access' || channel.acl !== undefined)
          .map((each) => (
            <Link
              key={each}
              href={each === 'entries' ? base : `${base}/${each}`}
              aria-current={each === view ? 'page' : undefined}
            >
              {views[each]}
            </Link>
          ))}
      </nav>
      {view === 'entries' && <EntryList key={channel.id} channel={channel} />}
      {view === 'fields' && <FieldTable channel={channel} />}
      {view === 'access' && (
        <ChannelAccess key={JSON.stringify([channel.acl, channel.publishable])} channel={channel} />
      )}
    </>
  );
}

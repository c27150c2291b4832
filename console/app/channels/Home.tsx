// The channels of the site.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Channel } from '../api/types.ts';
import { Empty } from '../parts/Notice.tsx';
import { useTitle } from '../shell/useTitle.ts';

export function Home({ channels }: { readonly channels: readonly Channel[] }): ReactNode {
  useTitle('Channels');
  return (
    <>
      <h1>Channels</h1>
      {channels.length === 0 && (
        <Empty>
          There are no channels that your token may know of. A master token makes one with <code>POST /channels</code>.
        </Empty>
      )}
      <ul className="plain channels">
        {channels.map((channel) => (
          <li key={channel.id}>
            <h2>
              <Link href={`/channels/${encodeURIComponent(channel.id)}`}>{channel.name}</Link>
            </h2>
            {typeof channel.description === 'string' && <p>{channel.description}</p>}
            <p className="faint">
              <code>{channel.id}</code>,{' '}
              {channel.fields.length === 0 ? 'any members' : `${channel.fields.length} fields`}
              {channel.publishable && ', publishable'}
              {channel.acl && `, read: ${channel.acl.read}`}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

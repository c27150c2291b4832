// An entry that is to be created.
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Channel, JsonObject } from '../api/types.ts';
import { entryPath } from '../entries/columns.tsx';
import { Editor } from './Editor.tsx';

export function NewEntry({ channel }: { readonly channel: Channel }): ReactNode {
  const [, navigate] = useLocation();
  const entry: JsonObject = Object.fromEntries(channel.fields.map(({ name }) => [name, null]));
  return (
    <>
      <p>
        <Link href={`/channels/${encodeURIComponent(channel.id)}`}>← {channel.name}</Link>
      </p>
      <h1>New entry in {channel.name}</h1>
      {channel.publishable && <p className="faint">It is a draft until it is published.</p>}
      <Editor
        channel={channel}
        id={null}
        read={{ entry, tag: null }}
        onStored={(stored) => navigate(entryPath(stored.entry), { replace: true })}
      />
    </>
  );
}

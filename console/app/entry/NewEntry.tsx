// An entry that is to be created.
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Channel, JsonObject } from '../api/types.ts';
import { entryPath } from '../entries/columns.tsx';
import { useRights } from '../api/queries.ts';
import { usableFields } from '../fields/guess.ts';
import { Empty } from '../parts/Notice.tsx';
import { sayRefusedCreate } from '../preview/rights.ts';
import { useSession } from '../shell/session.tsx';
import { Editor } from './Editor.tsx';
import { useTitle } from '../shell/useTitle.ts';

export function NewEntry({ channel }: { readonly channel: Channel }): ReactNode {
  useTitle('New entry', channel.name);
  const [, navigate] = useLocation();
  const { session } = useSession();
  const mayCreate = useRights(channel.id).data?.create ?? true;
  const entry: JsonObject = Object.fromEntries(usableFields(channel).map(({ name }) => [name, null]));
  return (
    <>
      <p>
        <Link href={`/channels/${encodeURIComponent(channel.id)}`}>← {channel.name}</Link>
      </p>
      <h1>New entry in {channel.name}</h1>
      {mayCreate ? (
        <>
          {channel.publishable && <p className="faint">It is a draft until it is published.</p>}
          <Editor
            channel={channel}
            id={null}
            read={{ entry, tag: null }}
            onStored={(stored) => navigate(entryPath(stored.entry), { replace: true })}
          />
        </>
      ) : (
        <Empty>{sayRefusedCreate(session)}</Empty>
      )}
    </>
  );
}

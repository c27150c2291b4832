// One entry: edited with the person's own eyes, or looked at as the preview has it.
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, Redirect, useLocation } from 'wouter';
import { path } from '../api/path.ts';
import { asProblem } from '../api/problem.ts';
import { useEntry, useRights, type ReadEntry } from '../api/queries.ts';
import type { Channel, Entry } from '../api/types.ts';
import { entryPath, nameEntry, ownNames, showValue } from '../entries/columns.tsx';
import { useChanged, useLive } from '../live/live.tsx';
import { Who } from '../live/Who.tsx';
import { Confirm } from '../parts/Confirm.tsx';
import { Loading, ProblemNotice } from '../parts/Notice.tsx';
import { showTime } from '../parts/times.ts';
import { usePreview } from '../preview/context.tsx';
import type { Preview } from '../preview/preview.ts';
import { useActorName } from '../preview/useActorName.ts';
import { sayRefused } from '../preview/rights.ts';
import { WhyDialog, WhyPanel } from '../preview/Why.tsx';
import { useSession } from '../shell/session.tsx';
import { useDrafts } from './drafts.tsx';
import { Editor } from './Editor.tsx';
import { Publication } from './Publication.tsx';
import { useTitle } from '../shell/useTitle.ts';

interface Props {
  readonly channel: Channel;
  readonly id: string;
}

export function EntryScreen({ channel, id }: Props): ReactNode {
  const { preview } = usePreview();
  const drafts = useDrafts();
  const begun = (): ReadEntry | undefined => drafts.find({ channel: channel.id, id })?.read as ReadEntry | undefined;
  const { data, error, refetch } = useEntry(channel.id, id, preview, begun);
  useTitle(data && nameEntry(data.entry), channel.name);
  const back = <Link href={`/channels/${encodeURIComponent(channel.id)}`}>← {channel.name}</Link>;
  return (
    <>
      <p>{back}</p>
      {error && <Unseen channel={channel} id={id} preview={preview} error={error} retry={() => void refetch()} />}
      {!error && !data && <Loading what="the entry" />}
      {!error && data && preview === null && data.entry.id === id && <Edited channel={channel} id={id} read={data} />}
      {/* What is typed is kept under the id, which the address of a slug or a short id leads on to. */}
      {!error && data && preview === null && data.entry.id !== id && <Redirect to={entryPath(data.entry)} replace />}
      {!error && data && preview !== null && <Looked channel={channel} entry={data.entry} />}
    </>
  );
}

type UnseenProps = Props & { readonly preview: Preview | null; readonly error: unknown; readonly retry: () => void };

/** The entry was not found. In a preview that has a reason, which is shown. */
function Unseen({ channel, id, preview, error, retry }: UnseenProps): ReactNode {
  const actor = useActorName(preview?.as ?? 'anonymous');
  if (preview === null || asProblem(error).status !== 404) return <ProblemNotice error={error} retry={retry} />;
  return (
    <>
      <h1>Not seen</h1>
      <p>Seen by {actor}, this entry is not found. This is why:</p>
      <WhyPanel channel={channel.id} id={id} />
    </>
  );
}

function Looked({ channel, entry }: { readonly channel: Channel; readonly entry: Entry }): ReactNode {
  const labels = new Map(channel.fields.map(({ name, label }) => [name, label ?? name]));
  return (
    <>
      <h1>{nameEntry(entry)}</h1>
      <p className="faint">A preview is read only. End it to change the entry.</p>
      <dl>
        {ownNames(entry).map((name) => (
          <div key={name}>
            <dt>{labels.get(name) ?? name}</dt>
            <dd>{showValue(entry[name] ?? null)}</dd>
          </div>
        ))}
      </dl>
      <h2>Why</h2>
      <WhyPanel channel={channel.id} id={entry.id} />
    </>
  );
}

function Edited({ channel, id, read }: Props & { readonly read: ReadEntry }): ReactNode {
  const client = useQueryClient();
  const { isPossible } = usePreview();
  const { session } = useSession();
  const { data: rights } = useRights(channel.id, read.entry.id);
  const [dialog, setDialog] = useState<'why' | 'delete' | null>(null);
  const { entry, tag } = read;
  const onStored = (stored: ReadEntry): void => {
    client.setQueryData(['entry', channel.id, id, null], stored);
  };
  const close = (): void => setDialog(null);
  return (
    <>
      <h1>{nameEntry(entry)}</h1>
      <ChangedMark channel={channel.id} id={entry.id} shownAs={id} />
      <Editor
        channel={channel}
        id={entry.id}
        read={read}
        onStored={onStored}
        refused={rights?.update === false ? sayRefused(session, 'update') : null}
        head={(editing) => (
          <>
            <div className="row actions">
              <Publication channel={channel} entry={entry} tag={tag} editing={editing} />
              {isPossible && (
                <button type="button" onClick={() => setDialog('why')}>
                  Who sees it, and why?
                </button>
              )}
              <button
                type="button"
                className="danger"
                disabled={rights?.delete === false}
                title={rights?.delete === false ? sayRefused(session, 'delete') : undefined}
                onClick={() => setDialog('delete')}
              >
                Delete …
              </button>
            </div>
            {rights?.delete === false && <p className="faint">{sayRefused(session, 'delete')}</p>}
            <p className="faint">
              Changed {showTime(entry.updated_at)}, id <code>{entry.id}</code>
            </p>
          </>
        )}
      />
      {dialog === 'why' && <WhyDialog channel={channel.id} id={entry.id} title={nameEntry(entry)} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog channel={channel.id} read={read} onClose={close} />}
    </>
  );
}

/** Says that others changed the entry, without touching what is being typed. */
function ChangedMark({ channel, id, shownAs }: { channel: string; id: string; shownAs: string }): ReactNode {
  const client = useQueryClient();
  const { count, actors, isGone, forget } = useChanged(channel, id);
  if (count === 0) return null;
  return (
    <p className="mark" role="status">
      {isGone
        ? 'Somebody else deleted this entry, or you may not see it any more. What you typed cannot be saved here.'
        : 'Somebody else changed this entry. If you save, you are asked what to keep.'}{' '}
      {actors.length > 0 && (
        <>
          It was <Who actors={actors} />.{' '}
        </>
      )}
      <button
        type="button"
        onClick={() => {
          forget();
          void client.invalidateQueries({ queryKey: ['entry', channel, shownAs] });
        }}
      >
        Load what is stored
      </button>
    </p>
  );
}

interface DeleteProps {
  readonly channel: string;
  readonly read: ReadEntry;
  readonly onClose: () => void;
}

function DeleteDialog({ channel, read: { entry, tag }, onClose }: DeleteProps): ReactNode {
  const { send } = useSession();
  const { noteOwn } = useLive();
  const drafts = useDrafts();
  const [, navigate] = useLocation();
  const run = async (): Promise<void> => {
    const headers: Record<string, string> = tag === null ? {} : { 'If-Match': tag };
    await send('DELETE', path`/channels/${channel}/entries/${entry.id}`, { headers });
    drafts.end({ channel, id: entry.id });
    noteOwn(entry.id, null);
  };
  return (
    <Confirm
      title="Delete the entry?"
      action="Delete"
      run={run}
      onClose={onClose}
      onDone={() => navigate(`/channels/${encodeURIComponent(channel)}`)}
    >
      <p>“{nameEntry(entry)}” is deleted for good.</p>
    </Confirm>
  );
}

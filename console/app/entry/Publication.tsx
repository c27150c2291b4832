// Publishes an entry, takes it back, or schedules it.
import { useState, type ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { useRights } from '../api/queries.ts';
import type { Channel, Entry, JsonObject } from '../api/types.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Labelled } from '../parts/Labelled.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { fromLocalInput, toLocalInput } from '../parts/times.ts';
import { sayRefused } from '../preview/rights.ts';
import { useSession } from '../shell/session.tsx';
import { StatusBadge } from './StatusBadge.tsx';
import type { Editing } from './useEditing.ts';

interface Props {
  readonly channel: Channel;
  readonly entry: Entry;
  readonly tag: string | null;
  readonly editing: Editing;
}

export function Publication({ channel, entry, tag, editing: { save } }: Props): ReactNode {
  const { session } = useSession();
  const { data: rights } = useRights(channel.id, entry.id);
  const [isOpen, setIsOpen] = useState(false);
  const badge = <StatusBadge entry={entry} publishable={channel.publishable} />;
  if (!channel.publishable || rights?.publish !== true) {
    const isRefused = channel.publishable && rights !== undefined;
    return (
      <p className="row">
        {badge} <span className="faint">{isRefused ? sayRefused(session, 'publish') : ''}</span>
      </p>
    );
  }
  const set = (changes: JsonObject): void => {
    const close = (): void => setIsOpen(false);
    const closeIfConflict = (error: Error): void => {
      // The conflict has a dialog of its own.
      if (error instanceof Problem && error.status === 412) close();
    };
    save.mutate({ changes, tag }, { onSuccess: close, onError: closeIfConflict });
  };
  const isDraft = entry._status === 'draft';
  return (
    <div className="row" role="group" aria-label="Publication">
      {badge}
      {(isDraft || entry._publish_at !== null) && (
        <button
          type="button"
          disabled={save.isPending}
          onClick={() => set({ _status: 'published', _publish_at: null })}
        >
          Publish now
        </button>
      )}
      {!isDraft && (
        <button type="button" disabled={save.isPending} onClick={() => set({ _status: 'draft', _publish_at: null })}>
          Unpublish
        </button>
      )}
      <button type="button" onClick={() => setIsOpen(true)}>
        Schedule …
      </button>
      {isOpen && (
        <ScheduleDialog
          at={entry._publish_at}
          error={save.error}
          onClose={() => setIsOpen(false)}
          onSchedule={(at) => set({ _status: 'scheduled', _publish_at: at })}
        />
      )}
    </div>
  );
}

interface ScheduleProps {
  readonly at: string | null;
  readonly error: Error | null;
  readonly onSchedule: (at: string) => void;
  readonly onClose: () => void;
}

function ScheduleDialog({ at, error, onSchedule, onClose }: ScheduleProps): ReactNode {
  const [time, setTime] = useState(toLocalInput(at));
  const chosen = fromLocalInput(time);
  return (
    <Dialog title="Schedule the entry" onClose={onClose}>
      <Labelled label="Visible from" hint="In the time zone of this browser. A time in the past shows it at once.">
        {(attributes) => (
          <input {...attributes} type="datetime-local" value={time} onChange={({ target }) => setTime(target.value)} />
        )}
      </Labelled>
      {error && <ProblemNotice error={error} />}
      <div className="row end">
        <button
          type="button"
          className="primary"
          disabled={chosen === null}
          onClick={() => chosen !== null && onSchedule(chosen)}
        >
          Schedule
        </button>
      </div>
    </Dialog>
  );
}

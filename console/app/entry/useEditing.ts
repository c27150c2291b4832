// An entry that is edited: what is stored, what was changed, and how it is saved against the version that was read.
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { path, type Send } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { fetchEntry, type ReadEntry } from '../api/queries.ts';
import type { Entry, Json, JsonObject } from '../api/types.ts';
import { useLive } from '../live/live.tsx';
import { useSession } from '../shell/session.tsx';
import { changedMembers } from './draft.ts';
import { useDrafts } from './drafts.tsx';
import type { Drafts, Place } from './kept.ts';

export interface Editing {
  readonly stored: JsonObject;
  /** The members that differ from what is stored: what a save sends. */
  readonly changes: JsonObject;
  /** What the form shows. */
  readonly values: JsonObject;
  readonly set: (name: string, value: Json) => void;
  readonly reset: () => void;
  readonly save: UseMutationResult<ReadEntry, Error, Write>;
  /** What is stored now, after a save was refused because others had changed it; null: there is no conflict. */
  readonly theirs: ReadEntry | null;
  readonly dismiss: () => void;
}

export interface Write {
  readonly changes: JsonObject;
  /** The members of the draft that are settled by this, though they are not sent. */
  readonly settled?: readonly string[];
  /** The version that is to be replaced. */
  readonly tag: string | null;
}

async function write(send: Send, { channel, id }: Place, { changes, tag }: Write): Promise<ReadEntry> {
  const headers: Record<string, string> = tag === null ? {} : { 'If-Match': tag };
  const answer =
    id === null
      ? await send('POST', path`/channels/${channel}/entries`, { body: changes })
      : await send('PATCH', path`/channels/${channel}/entries/${id}`, { body: changes, headers });
  return { entry: answer.body as Entry, tag: answer.headers.get('ETag') };
}

/** What was kept of a draft; nothing if it was begun with another version than the form has: a save would hide that. */
function takeUp(drafts: Drafts, place: Place, tag: string | null): JsonObject {
  const kept = drafts.begin(place);
  return kept?.read.tag === tag ? kept.draft : {};
}

/** @param read what is stored; an empty object for an entry that is to be created */
export function useEditing(
  place: Place,
  read: { readonly entry: JsonObject; readonly tag: string | null },
  onStored: (stored: ReadEntry) => void,
): Editing {
  const { send } = useSession();
  const client = useQueryClient();
  const { noteOwn } = useLive();
  const drafts = useDrafts();
  const [draft, setDraft] = useState<JsonObject>(() => takeUp(drafts, place, read.tag));
  const [theirs, setTheirs] = useState<ReadEntry | null>(null);
  const stored = read.entry;
  const changes = changedMembers(stored, draft);
  useEffect(() => drafts.keep(place, Object.keys(changes).length === 0 ? null : { read, draft }));
  const save = useMutation({
    mutationFn: (sent: Write) => write(send, place, sent),
    onSuccess: (result, sent) => {
      noteOwn(result.entry.id, result.tag);
      if (place.id === null) drafts.end(place);
      setTheirs(null);
      // What was not sent, because a button saved something else, stays a draft.
      const settled = new Set([...Object.keys(sent.changes), ...(sent.settled ?? [])]);
      setDraft((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !settled.has(name))));
      void client.invalidateQueries({ queryKey: ['entries'] });
      void client.invalidateQueries({ queryKey: ['access'] });
      onStored(result);
    },
    onError: async (error) => {
      if (!(error instanceof Problem) || error.status !== 412 || place.id === null) return;
      setTheirs(await fetchEntry(send, { channel: place.channel, id: place.id }, null).catch(() => null));
    },
  });
  return {
    stored,
    changes,
    values: { ...stored, ...draft },
    set: (name, value) => setDraft((before) => ({ ...before, [name]: value })),
    reset: () => {
      setDraft({});
      save.reset();
    },
    save,
    theirs,
    dismiss: () => setTheirs(null),
  };
}

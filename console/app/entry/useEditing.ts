// An entry that is edited: what is stored, what was changed, and how it is saved against the version that was read.
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Send } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { fetchEntry, type ReadEntry } from '../api/queries.ts';
import { readTag } from '../api/tag.ts';
import type { Channel, Entry, Json, JsonObject, Status } from '../api/types.ts';
import { useLive } from '../live/live.tsx';
import { useSession } from '../shell/session.tsx';
import { changedMembers, compare, noDraft, withMembers, withoutMembers, withText, type Draft } from './draft.ts';
import { useDrafts } from './drafts.tsx';
import type { Drafts, Place } from './kept.ts';
import { requestOfSave, type SaveRequest } from './save.ts';

export interface Editing {
  readonly stored: JsonObject;
  /** The members that differ from what is stored: what a save sends. */
  readonly changes: JsonObject;
  /** What the form shows. */
  readonly values: JsonObject;
  readonly set: (name: string, value: Json) => void;
  /** Takes what the text of the entry holds now. @param before the names of the members that it had */
  readonly setText: (before: readonly string[], members: JsonObject) => void;
  readonly reset: () => void;
  readonly save: UseMutationResult<ReadEntry, Error, Write>;
  /** Saves what differs, unless others changed the same since it was typed: that is a conflict. */
  readonly saveChanges: () => void;
  /** Null: there is none. */
  readonly conflict: Refused | null;
  readonly dismiss: () => void;
}

export interface Write {
  readonly changes: JsonObject;
  /** The members of the draft that are settled by this, though they are not sent. */
  readonly settled?: readonly string[];
  /** The version that is to be replaced. */
  readonly tag: string | null;
}

/** A write that was not done because others had changed the entry. */
export interface Refused {
  /** What was to be stored, as the person saw it when it was typed. */
  readonly before: JsonObject;
  /** What is stored now. */
  readonly theirs: ReadEntry;
  /** What was to be written. */
  readonly changes: JsonObject;
}

async function write(send: Send, { method, to, body }: SaveRequest, tag: string | null): Promise<ReadEntry> {
  const headers: Record<string, string> = tag === null ? {} : { 'If-Match': tag };
  const answer = await send(method, to, { body, headers });
  return { entry: answer.body as Entry, tag: readTag(answer.headers) };
}

/** What was kept of a draft; nothing if it was begun with another version than the form has: a save would hide that. */
function takeUp(drafts: Drafts, place: Place, tag: string | null): Draft {
  const kept = drafts.begin(place);
  return kept?.read.tag === tag ? kept.draft : noDraft;
}

/** @param read what is stored; an empty object for an entry that is to be created */
export function useEditing(
  { id: channel, publishable }: Pick<Channel, 'id' | 'publishable'>,
  id: string | null,
  read: { readonly entry: JsonObject; readonly tag: string | null },
  onStored: (stored: ReadEntry) => void,
): Editing {
  const { send, session } = useSession();
  const place = { channel, id };
  const client = useQueryClient();
  const { noteOwn } = useLive();
  const drafts = useDrafts();
  const [draft, setDraft] = useState(() => takeUp(drafts, place, read.tag));
  const [conflict, setConflict] = useState<Refused | null>(null);
  const stored = read.entry;
  const changes = changedMembers(stored, draft.values);
  const before = { ...stored, ...draft.bases };
  useEffect(() => drafts.keep(place, Object.keys(changes).length === 0 ? null : { read, draft }));
  const save = useMutation({
    mutationFn: (sent: Write) => {
      const { _status: before = null } = conflict?.theirs.entry ?? stored;
      const state = publishable ? (before as Status | null) : null;
      return write(send, requestOfSave(place, sent.changes, session.kind === 'user', state), sent.tag);
    },
    onSuccess: (result, sent) => {
      noteOwn(result.entry.id, result.tag);
      if (place.id === null) drafts.end(place);
      setConflict(null);
      // What was not sent, because a button saved something else, stays a draft.
      const settled = [...Object.keys(sent.changes), ...(sent.settled ?? [])];
      setDraft((last) => withoutMembers(last, settled));
      void client.invalidateQueries({ queryKey: ['entries'] });
      void client.invalidateQueries({ queryKey: ['access'] });
      void client.invalidateQueries({ queryKey: ['rights'] });
      onStored(result);
    },
    onError: async (error, sent) => {
      if (!(error instanceof Problem) || error.status !== 412 || place.id === null) return;
      const theirs = await fetchEntry(send, { channel: place.channel, id: place.id }, null).catch(() => null);
      // What was chosen already is a part of the first refusal.
      setConflict((first) => theirs && { before, changes: sent.changes, ...first, theirs });
    },
  });
  return {
    stored,
    changes,
    values: { ...stored, ...draft.values },
    set: (name, value) => setDraft((last) => withMembers(stored, last, { [name]: value })),
    setText: (names, members) => setDraft((last) => withText(stored, last, names, members)),
    reset: () => {
      setDraft(noDraft);
      save.reset();
    },
    save,
    saveChanges: () => {
      const isMoved = compare(before, stored, changes).clashes.length > 0;
      if (isMoved) setConflict({ before, theirs: read as ReadEntry, changes });
      else save.mutate({ changes, tag: read.tag });
    },
    conflict,
    dismiss: () => setConflict(null),
  };
}

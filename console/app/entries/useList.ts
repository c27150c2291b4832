// A page of entries, what others hide from the actor of a preview, and the state of the list, kept for the tab.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Send } from '../api/client.ts';
import { path } from '../api/path.ts';
import type { Entry } from '../api/types.ts';
import { showCount } from '../parts/numbers.ts';
import type { Preview } from '../preview/preview.ts';
import { useSession } from '../shell/session.tsx';
import { firstPage, listQuery, type ListState } from './query.ts';

export interface ListPage {
  readonly entries: readonly Entry[];
  /** The ids of the entries that the actor of the preview does not see; null: only what the actor sees is listed. */
  readonly hidden: ReadonlySet<string> | null;
  readonly next: string | null;
  /** How many entries match, in words. */
  readonly total: string;
}

interface Asked {
  readonly channel: string;
  readonly state: ListState;
  readonly preview: Preview | null;
  /** Lists what the person sees, and marks what the actor does not see. */
  readonly withHidden: boolean;
}

export function useList(asked: Asked): UseQueryResult<ListPage> {
  const { send } = useSession();
  return useQuery({
    queryKey: ['entries', asked] as const,
    queryFn: ({ signal }) => fetchPage(send, asked, signal),
    placeholderData: (page, before) => (isSameReader(before?.queryKey[1], asked) ? page : undefined),
    staleTime: 0,
  });
}

/** Whether a page that was asked for before may stand until the next one comes: it is what the same person sees at the same time. */
function isSameReader(before: Asked | undefined, { channel, preview, withHidden }: Asked): boolean {
  return (
    before?.channel === channel &&
    before.withHidden === withHidden &&
    before.preview?.as === preview?.as &&
    before.preview?.at === preview?.at
  );
}

async function fetchPage(send: Send, asked: Asked, signal: AbortSignal): Promise<ListPage> {
  const { channel, state, preview, withHidden } = asked;
  const to = path`/channels/${channel}/entries`;
  const actor = withHidden ? null : preview;
  const query = { ...listQuery(state), as: actor?.as, at: actor?.at };
  const { body, headers } = await send('GET', to, { query, signal });
  const entries = body as readonly Entry[];
  const hidden = withHidden && preview !== null ? await findHidden(send, { ...asked, preview }, entries, signal) : null;
  return { entries, hidden, next: headers.get('X-Next-Cursor'), total: nameTotal(headers) };
}

/** Which of these entries the actor does not see: the same service is asked as the actor. */
async function findHidden(
  send: Send,
  { channel, preview }: Asked & { readonly preview: Preview },
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const ids = entries.map(({ id }) => id);
  const query = { ...preview, where: JSON.stringify({ id: { in: ids } }), only: 'id', per_page: String(ids.length) };
  const headers = { Prefer: 'count=none' };
  const { body } = await send('GET', path`/channels/${channel}/entries`, { query, headers, signal });
  const seen = new Set((body as readonly Entry[]).map(({ id }) => id));
  return new Set(ids.filter((id) => !seen.has(id)));
}

function nameTotal(headers: Headers): string {
  const total = headers.get('X-Total-Count');
  if (total !== null) return total === '1' ? '1 entry' : `${showCount(total)} entries`;
  const atLeast = headers.get('X-Total-Count-At-Least');
  return atLeast === null ? '' : `at least ${showCount(atLeast)} entries`;
}

interface StoredState {
  readonly state: ListState;
  /** Whose list the cursors belong to: they hold for one actor, one time and one channel. */
  readonly reader: string;
}

/** The state of a channel's list, which the tab keeps while one looks at an entry. */
export function useListState(
  channel: string,
  preview: Preview | null,
): readonly [ListState, (change: Partial<ListState>) => void] {
  const key = `entryway.list.${channel}`;
  const reader = JSON.stringify(preview);
  const [stored, setStored] = useState<StoredState>(() => {
    const text = sessionStorage.getItem(key);
    return text === null ? { state: firstPage, reader } : (JSON.parse(text) as StoredState);
  });
  const state = stored.reader === reader ? stored.state : { ...stored.state, cursors: [] };
  const change = (changed: Partial<ListState>): void => {
    // Another order, filter or size begins with the first page.
    const next = { state: { ...state, cursors: [], ...changed }, reader };
    sessionStorage.setItem(key, JSON.stringify(next));
    setStored(next);
  };
  return [state, change];
}

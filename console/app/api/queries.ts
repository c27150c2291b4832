// What the console reads, each with the key under which the answer is kept.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Preview } from '../preview/preview.ts';
import { useSession } from '../shell/session.tsx';
import type { Send } from './client.ts';
import { path } from './path.ts';
import { readTag } from './tag.ts';
import type { Channel, Entry, Explanation, Me, Rights } from './types.ts';

/** The channels of the site, as far as they exist to the token. */
export function useChannels(): UseQueryResult<readonly Channel[]> {
  const { send } = useSession();
  return useQuery({
    queryKey: ['channels'],
    queryFn: async ({ signal }) => (await send('GET', '/channels', { signal })).body as readonly Channel[],
  });
}

/** An entry with the tag that says which version of it was read. */
export interface ReadEntry {
  readonly entry: Entry;
  readonly tag: string | null;
}

/** Fetches an entry, as somebody else if a preview asks for that. */
export async function fetchEntry(
  send: Send,
  { channel, id }: { readonly channel: string; readonly id: string },
  preview: Preview | null,
  signal?: AbortSignal,
): Promise<ReadEntry> {
  const query = { as: preview?.as, at: preview?.at };
  const sent = signal === undefined ? { query } : { query, signal };
  const { body, headers } = await send('GET', path`/channels/${channel}/entries/${id}`, sent);
  return { entry: body as Entry, tag: readTag(headers) };
}

/** One entry, as the preview has it. @param begun what a draft that was not saved began with, which it is compared with */
export function useEntry(
  channel: string,
  id: string,
  preview: Preview | null,
  begun: () => ReadEntry | undefined,
): UseQueryResult<ReadEntry> {
  const { send } = useSession();
  return useQuery({
    queryKey: ['entry', channel, id, preview],
    initialData: () => (preview === null ? begun() : undefined),
    queryFn: ({ signal }) => fetchEntry(send, { channel, id }, preview, signal),
    // A form that is being filled in must not change by itself.
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** Why somebody may do what with an entry. */
export function useExplanation(channel: string, id: string, preview: Preview): UseQueryResult<Explanation> {
  const { send } = useSession();
  return useQuery({
    queryKey: ['access', channel, id, preview],
    queryFn: async ({ signal }) => {
      const to = path`/channels/${channel}/entries/${id}/access`;
      return (await send('GET', to, { query: { as: preview.as, at: preview.at }, signal })).body as Explanation;
    },
    staleTime: 0,
  });
}

/** What the token may do in a channel, and with an entry of it. The service decides that, by the rules that its writes have. */
export function useRights(channel: string, id?: string): UseQueryResult<Rights> {
  const { send } = useSession();
  return useQuery({
    queryKey: ['rights', channel, id ?? null],
    queryFn: async ({ signal }) =>
      (await send('GET', path`/channels/${channel}/rights`, { query: { entry: id }, signal })).body as Rights,
  });
}

/** Who the session is, and its rights in the site. */
export function useMe(): UseQueryResult<Me> {
  const { send } = useSession();
  return useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => (await send('GET', '/me', { signal })).body as Me,
  });
}

/** A function that says whether the session has a right of the site, such as `members`. Until it is known, only a master token has it. */
export function useHas(): (right: string) => boolean {
  const { session } = useSession();
  const { data } = useMe();
  return (right) => {
    if (data === undefined) return session.kind === 'master';
    return data.rights?.some((each) => each === '*' || each === right) ?? false;
  };
}

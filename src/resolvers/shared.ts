// What the operations on entries share: finding what an argument names, and writing until no decision was overtaken.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channels, Context, WriteContext } from '../context.ts';
import { fail } from '../errors.ts';
import type { EntryInput, MutationResolvers } from '../generated/graphql/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { isHandle } from '../inputs/handle.ts';
import type { RestPayload } from '../inputs/payload.ts';
import { entryKey, type EntryKey } from '../rules/slug.ts';
import type { PublicEntry } from '../serializers/entry.ts';

/**
 * The channel of an id in the caller's site.
 * @throws not_found
 */
export async function channelNamed(
  context: Pick<Context, 'site'> & { readonly directory: Pick<Channels, 'channel'> },
  id: string,
): Promise<Channel> {
  const channel = isHandle(id) ? await context.directory.channel(context.site, id) : null;
  return channel ?? noSuchChannel();
}

/**
 * What an entry's id, short id or slug names.
 * @throws not_found where no entry can have such a name
 */
export function entryNamed(name: string): EntryKey {
  return entryKey(name) ?? noSuchEntry();
}

/** The one answer for an entry that is absent and for one that is hidden. */
export function noSuchEntry(): never {
  fail('not_found', 'There is no such entry.');
}

export function noSuchChannel(): never {
  fail('not_found', 'There is no such channel.');
}

/**
 * Lets management pass with a master token alone. `use_acl` changes nothing here: it is about entries.
 * @throws forbidden
 */
export function requireMaster({ caller }: Context): void {
  if (caller.kind !== 'master') fail('forbidden', 'This needs a master token.');
}

/** How often a write is decided again before its caller is told to. */
const mostAttempts = 100;

/**
 * Runs a write until it neither was overtaken by another (it was decided on versions that are gone) nor met a name
 * that was taken meanwhile. Each attempt gets the channel as it is then.
 * @throws conflict where others were first every time
 */
export async function untilWritten<Result>(
  context: WriteContext,
  channelId: string,
  attempt: (channel: Channel, attempts: number) => Promise<Result | 'stale' | 'duplicate'>,
): Promise<Result> {
  for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
    const channel =
      attempts === 0
        ? await channelNamed(context, channelId)
        : await context.directory.channelNow(context.site, channelId);
    const result = await attempt(channel ?? noSuchChannel(), attempts);
    if (result !== 'stale' && result !== 'duplicate') return result;
    // Those who collide wait differently long, so that they don't collide again.
    await sleep(Math.random() * Math.min(attempts, 25) * 2);
  }
  fail('conflict', 'Others kept changing the same thing first. Try again.');
}

/** An entry's payload, as either door hands it on. */
export interface EntryPayload {
  readonly input: EntryInput | RestPayload;
}

/** A mutation's resolver that takes what REST hands on, too. */
export type WriteResolver<Name extends keyof MutationResolvers, Args> = (
  parent: unknown,
  args: Args,
  context: WriteContext,
) => Promise<Name extends 'deleteEntry' ? string : PublicEntry>;

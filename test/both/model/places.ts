// Where callers ask for entries, and what they get there by the model.
import { expectedOf, type Expected } from './check.ts';
import { silent } from './references.ts';
import type { World, WorldCaller, WorldChannel, WorldEntry } from './world.ts';

/** A version that no entry has: a write that may be done fails on it, and on nothing else. */
export const noVersion = 999_999;

export interface Place {
  readonly channel: WorldChannel;
  readonly entry: WorldEntry;
}

/** Where a caller asks for entries: each in its channel; one in the other channel, and one of the other site. */
export function placesFor(world: World, { site }: WorldCaller): Place[] {
  const own = world.entriesOf(site).map((entry): Place => ({ channel: entry.channel, entry }));
  const [first] = own;
  const misplaced =
    first &&
    site.channels.filter((channel) => channel !== first.channel).map((channel) => ({ channel, entry: first.entry }));
  const foreign = world.entries.find((entry) => entry.site !== site);
  const abroad = site.channels
    .filter(({ id }) => id === foreign?.channel.id)
    .flatMap((channel) => (foreign ? [{ channel, entry: foreign }] : []));
  return [...own, ...(misplaced ?? []), ...abroad];
}

/** What a caller gets of an entry in a channel: nothing, where it is not there. */
export function answerAt(world: World, caller: WorldCaller, channel: WorldChannel, entry: WorldEntry): Expected {
  return entry.channel === channel
    ? expectedOf(world, caller, entry, silent)
    : { sees: false, update: 404, delete: 404 };
}

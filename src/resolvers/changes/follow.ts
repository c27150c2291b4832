// Follows what happens in a site: for long polls and streams of both doors (docs/contract.md §9.2). Each look is the operation
// listChanges once more, so that it decides with the rights that the caller has by then.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { isUnavailable } from '../../database/databaseErrors.ts';
import { ServiceError } from '../../errors.ts';
import type { HeldOpen } from '../../heldOpen.ts';
import type { ChangesArguments } from '../../inputs/changes.ts';
import type { ChangePage } from '../../serializers/change.ts';
import { perform } from '../perform.ts';
import { listChanges } from './list.ts';

/** A page, and the context that its entries are read in. */
export interface FollowedPage<C extends Context = Context> {
  readonly page: ChangePage;
  readonly context: C;
}

/** How many changes a stream reads at once: few where entries are read with them. */
const usualPage = 100;
const pageWithEntries = 20;

/** How long a reader waits before it looks again where the database could not be asked, in milliseconds. */
const busyPause = 500;

/** How many changes a look of a stream reads. */
export function streamLimit(readsEntries: boolean): number {
  return readsEntries ? pageWithEntries : usualPage;
}

/**
 * The look before a stream begins, which refuses it.
 * @returns the cursor that the stream begins behind; null: the oldest change that is kept
 * @throws what listChanges throws
 */
export async function findStreamStart(args: ChangesArguments, context: Context): Promise<string | null> {
  const { cursor } = await perform(listChanges, { ...args, limit: 1 }, context);
  return startOfStream(args, cursor);
}

/** Where a stream begins whose first look has found a cursor. */
export function startOfStream({ after }: ChangesArguments, found: string): string | null {
  return after === 'now' ? found : (after ?? null);
}

/** What is followed, and for whom. */
interface Following<C extends Context, Written> {
  /** With the place where it begins. */
  readonly args: ChangesArguments;
  readonly context: C;
  readonly held: HeldOpen;
  /** After how many milliseconds without a change an empty page comes. */
  readonly quiet: number;
  /** Makes of a page what is sent of it. */
  readonly write: (page: FollowedPage<C>) => Written | Promise<Written>;
}

/**
 * Follows changes until the request is not held any longer. What a page holds is given back when the next one is asked for.
 * A page that is too large is read in parts; one that can't be read because others read is read later.
 * @throws ServiceError where the caller's rights have ended, or the changes cannot be read any more
 */
export async function* followChanges<C extends Context, Written>({
  args,
  context,
  held,
  quiet,
  write,
}: Following<C, Written>): AsyncGenerator<Written, void, undefined> {
  let { after, limit } = args;
  let quietUntil = performance.now() + quiet;
  try {
    while (held.ended === null) {
      const { parts, leave } = held.look();
      let more = true;
      try {
        const inner = { ...context, ...parts };
        const page = await perform(listChanges, { ...args, after, limit }, inner);
        if (page.changes.length > 0 || performance.now() >= quietUntil) {
          const written = await write({ page, context: inner });
          ({ cursor: after, more } = page);
          yield written;
          quietUntil = performance.now() + quiet;
        } else ({ cursor: after, more } = page);
      } catch (error) {
        if (isBusy(error)) await sleep(busyPause);
        else limit = smallerLimit(error, limit);
      } finally {
        leave();
      }
      if (!more) await held.wait(Math.max(quietUntil - performance.now(), 0));
    }
    if (held.ended instanceof ServiceError) throw held.ended;
  } finally {
    held.close();
  }
}

function isBusy(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof ServiceError && error.code === 'unavailable');
}

/** How many changes to read where so many have entries that are too large together. @throws the error, if it is another one */
function smallerLimit(error: unknown, limit: ChangesArguments['limit']): number {
  const isTooLarge = error instanceof ServiceError && error.code === 'answer_too_large';
  if (!isTooLarge || typeof limit !== 'number' || limit === 1) throw error;
  return Math.ceil(limit / 4);
}

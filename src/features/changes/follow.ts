// Follows what happens in a site: for long polls and streams of both doors (docs/contract.md §9.2). Looks are shared by all who
// are told the same; what a look has found is passed on only to a reader whose rights have been looked at again since.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../resolvers/context.ts';
import { isUnavailable } from '../../database/databaseErrors.ts';
import { ServiceError } from '../../base/errors.ts';
import type { HeldOpen } from './heldOpen.ts';
import type { ChangesArguments } from './input.ts';
import type { Caller } from '../../rules/callers.ts';
import type { ChangePage } from './serializer.ts';
import { perform } from '../../resolvers/perform.ts';
import { listChanges } from './list.ts';
import type { Left, Writing } from './seats.ts';
import type { Membership, PageForm } from './readerships.ts';

/** What a reader is told. */
export interface Told<Written extends Writing> {
  /** null: nothing has happened for a while. */
  readonly written: Written | null;
  /** Makes the cursor that the reader goes on from; null: the last one still holds. */
  readonly makeCursor: (() => string) | null;
  readonly more: boolean;
  /** The reader's request, which may end while it is told. */
  readonly held: Pick<HeldOpen, 'ended'>;
}

/** How many changes a stream reads at once: few where entries are read with them. */
const usualPage = 100;
const pageWithEntries = 20;

/** How long a reader waits before it asks again whether it may go on, where that can't be told, in milliseconds. */
const busyPause = 500;

/** How many changes a look of a stream reads. */
export function streamLimit(readsEntries: boolean): number {
  return readsEntries ? pageWithEntries : usualPage;
}

/**
 * The look before a stream begins, which refuses it.
 * @returns the place that the stream begins behind; null: the oldest change that is kept
 * @throws what listChanges throws
 */
export async function findStreamStart(args: ChangesArguments, context: Context): Promise<string | null> {
  return startOfStream(args, await perform(listChanges, { ...args, limit: 1 }, context));
}

/** Where a stream begins whose first look has found a page. */
export function startOfStream({ after }: ChangesArguments, { place }: Pick<ChangePage, 'place'>): string | null {
  return after === 'now' ? place : (after ?? null);
}

/** What is followed, and for whom. */
interface Following<Written extends Writing> {
  /** With the place where it begins. */
  readonly args: ChangesArguments;
  readonly context: Context;
  readonly held: HeldOpen;
  /** After how many milliseconds without a change the reader is told that there was none. */
  readonly quiet: number;
  readonly form: PageForm<Written>;
}

/**
 * Follows changes until the request is not held any longer. The next page is waited for when it is asked for: whoever takes its
 * time with the last one goes on by itself, until it is where the others are.
 * @throws ServiceError where the caller's rights have ended, or the changes cannot be read any more
 */
export async function* followChanges<Written extends Writing>(
  following: Following<Written>,
): AsyncGenerator<Told<Written>, void, undefined> {
  const { held, quiet, context } = following;
  let place = following.args.after ?? null;
  let quietUntil = performance.now() + quiet;
  let membership: Membership<Written> | null = null;
  try {
    while (!hasEnded(held)) {
      const caller = await renewCaller(context);
      if (caller === null) continue;
      membership = joinAs(caller, membership, following);
      held.waitAs(caller);
      const seat = membership.sit(place, held.wake);
      try {
        await held.wait(Math.max(quietUntil - performance.now(), 0));
      } finally {
        seat.leave();
      }
      const left = seat.leave();
      ({ place } = left);
      const isQuiet = left.look === null && left.error === null && performance.now() < quietUntil;
      if (isQuiet || hasEnded(held)) continue;
      // What was found is for readers of the same sight alone.
      if (!isDeepStrictEqual(await renewCaller(context), membership.reading.caller)) continue;
      if (left.error !== null) throw left.error;
      if (left.look !== null) ({ place } = left.look);
      yield tell(left, held);
      quietUntil = performance.now() + quiet;
    }
    if (held.ended instanceof ServiceError) throw held.ended;
  } finally {
    membership?.leave();
    held.close();
  }
}

/** A part of a text that readers are told. */
export interface TextPart<Part> {
  readonly part: Part;
  readonly text: Writing;
}

/** The parts of a text, as long as its reader may get them: it may take its time with each. */
export function* whileHeld<Part>(
  text: Writing & { readonly parts: readonly Part[] },
  held: Pick<HeldOpen, 'ended'>,
): Generator<TextPart<Part>> {
  for (const part of text.parts) {
    if (hasEnded(held)) return;
    yield { part, text };
  }
}

function hasEnded({ ended }: Pick<HeldOpen, 'ended'>): boolean {
  return ended !== null;
}

/** Looks at the caller's rights again. @returns null where they can't be told @throws ServiceError where they have ended */
async function renewCaller({ admission: { rights } }: Context): Promise<Caller | null> {
  try {
    return (await rights.renew()).caller;
  } catch (error) {
    const isBusy = isUnavailable(error) || (error instanceof ServiceError && error.code === 'unavailable');
    if (!isBusy) throw error;
    await sleep(busyPause);
    return null;
  }
}

/** The membership of a caller: the one that it has, if that is what it is told now. */
function joinAs<Written extends Writing>(
  caller: Caller,
  last: Membership<Written> | null,
  { args, context, held, form }: Following<Written>,
): Membership<Written> {
  if (last !== null && isDeepStrictEqual(caller, last.reading.caller)) return last;
  const { site, useAcl, baseUrl } = context;
  const { after: _, ...others } = args;
  const joined = held.readerships.join({ site, caller, useAcl, baseUrl, args: others }, form);
  last?.leave();
  return joined;
}

function tell<Written extends Writing>({ look, makeCursor }: Left<Written>, held: HeldOpen): Told<Written> {
  if (look === null) return { written: null, makeCursor, more: false, held };
  return { written: look.written, makeCursor: look.makeCursor, more: look.more, held };
}

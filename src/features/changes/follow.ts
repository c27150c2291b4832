// Follows the changes of a site: for long polls and streams of both doors (docs/contract.md §9.2). Readers who receive
// the same changes use one poll; its result is passed on only to a reader whose rights have been checked again since.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { HeldOpen } from '../../admission/streams.ts';
import type { Context } from '../../resolvers/context.ts';
import { isUnavailable } from '../../database/databaseErrors.ts';
import { ServiceError } from '../../base/errors.ts';
import type { ChangesArguments } from './input.ts';
import type { Caller } from '../../rules/callers.ts';
import type { ChangePage } from './serializer.ts';
import { perform } from '../../resolvers/perform.ts';
import { listChanges } from './list.ts';
import type { Outcome, Writing } from './seats.ts';
import type { Membership, PageForm } from './readerships.ts';

/** The content that a reader receives. */
export interface ReaderContent<Written extends Writing> {
  /** Null if nothing has happened for a while. */
  readonly written: Written | null;
  /** Makes the cursor from which the reader continues; null if the last one is still valid. */
  readonly makeCursor: (() => string) | null;
  readonly more: boolean;
  /** The reader's request, which may end meanwhile. */
  readonly hold: Pick<HeldOpen['hold'], 'ended'>;
}

/** Number of changes that a stream reads at once: few if entries are read with them. */
const usualPage = 100;
const pageWithEntries = 20;

/** Pause before the rights of a reader are checked again, if they could not be checked, in milliseconds. */
const busyPause = 500;

/** The number of changes that a stream's poll reads. */
export function streamLimit(readsEntries: boolean): number {
  return readsEntries ? pageWithEntries : usualPage;
}

/**
 * Polls before a stream begins, which may refuse it.
 * @returns the position after which the stream begins; null for the oldest change that is kept
 * @throws as listChanges
 */
export async function findStreamStart(args: ChangesArguments, context: Context): Promise<string | null> {
  return startOfStream(args, await perform(listChanges, { ...args, limit: 1 }, context));
}

/** The start of a stream whose first poll has read a page. */
export function startOfStream({ after }: ChangesArguments, { position }: Pick<ChangePage, 'position'>): string | null {
  return after === 'now' ? position : (after ?? null);
}

/** The parameters of following changes. */
interface Following<Written extends Writing> {
  /** With the position at which it begins. */
  readonly args: ChangesArguments;
  readonly context: Context;
  readonly held: HeldOpen;
  /** Time without a change after which the reader is notified that there was none, in milliseconds. */
  readonly quiet: number;
  readonly form: PageForm<Written>;
}

/**
 * Follows changes until the request is released. The next page is awaited when it is requested: a slow reader continues
 * alone until it reaches the position of the others.
 * @throws ServiceError if the caller's rights have ended, or the changes cannot be read any more
 */
export async function* followChanges<Written extends Writing>(
  following: Following<Written>,
): AsyncGenerator<ReaderContent<Written>, void, undefined> {
  const { quiet, context } = following;
  const { hold } = following.held;
  let position = following.args.after ?? null;
  let quietUntil = performance.now() + quiet;
  let membership: Membership<Written> | null = null;
  try {
    while (!hasEnded(hold)) {
      const caller = await renewCaller(context);
      if (caller === null) continue;
      membership = joinAs(caller, membership, following);
      hold.waitAs(caller);
      const seat = membership.sit(position, hold.wake);
      try {
        await hold.wait(Math.max(quietUntil - performance.now(), 0));
      } finally {
        seat.leave();
      }
      const outcome = seat.leave();
      ({ position } = outcome);
      const isQuiet = outcome.result === null && outcome.error === null && performance.now() < quietUntil;
      if (isQuiet || hasEnded(hold)) continue;
      // The result is only for readers with the same access.
      if (!isDeepStrictEqual(await renewCaller(context), membership.reading.caller)) continue;
      if (outcome.error !== null) throw outcome.error;
      if (outcome.result !== null) ({ position } = outcome.result);
      yield deliver(outcome, hold);
      quietUntil = performance.now() + quiet;
    }
    if (hold.ended instanceof ServiceError) throw hold.ended;
  } finally {
    membership?.leave();
    hold.close();
  }
}

/** A part of a text for readers. */
export interface TextPart<Part> {
  readonly part: Part;
  readonly text: Writing;
}

/** Yields the parts of a text as long as the reader is entitled to them, since it may take them slowly. */
export function* whileHeld<Part>(
  text: Writing & { readonly parts: readonly Part[] },
  hold: ReaderContent<Writing>['hold'],
): Generator<TextPart<Part>> {
  for (const part of text.parts) {
    if (hasEnded(hold)) return;
    yield { part, text };
  }
}

function hasEnded({ ended }: ReaderContent<Writing>['hold']): boolean {
  return ended !== null;
}

/** Checks the caller's rights again. @returns null if they cannot be checked @throws ServiceError if they have ended */
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

/** Joins the readership of a caller, or stays in it if the caller's access is unchanged. */
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

function deliver<Written extends Writing>(
  { result: look, makeCursor }: Outcome<Written>,
  hold: HeldOpen['hold'],
): ReaderContent<Written> {
  if (look === null) return { written: null, makeCursor, more: false, hold };
  return { written: look.written, makeCursor: look.makeCursor, more: look.more, hold };
}

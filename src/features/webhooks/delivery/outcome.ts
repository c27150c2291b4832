// Decides on the outcome of an attempt to send an event (docs/contract.md §9): it is done, sent again later, or given
// up.
import type { Statements } from '../../../database/statements.ts';
import { finishEvent, postponeEvent, type LeasedEvent } from '../queue.ts';
import { noteFailure, noteSuccess } from '../state.ts';
import type { Answer } from './post.ts';

/** The schedule of retries. Durations are in milliseconds. */
export interface RetrySchedule {
  /** The pauses between attempts: after the last one an event is given up. */
  readonly pauses: readonly number[];
  /**
   * The part of itself by which a pause may be longer, at random: events that failed together are not sent together
   * again.
   */
  readonly jitter: number;
  /** The time without any success after which a webhook is disabled. */
  readonly maxFailing: number;
}

/** The status of a receiver that wants no further events. */
const goneStatus = 410;

/** Logs an attempt and decides on its event and its webhook. */
export async function noteOutcome(
  db: Statements,
  event: LeasedEvent,
  { text, ...answer }: Answer & { readonly id: string },
  { pauses, jitter, maxFailing }: RetrySchedule,
): Promise<void> {
  const attempt = { ...answer, answer: text, number: event.attempts + 1 };
  const isGone = answer.status === goneStatus;
  const pause = pauses[event.attempts];
  if (answer.error === null || event.isManual || isGone || pause === undefined) await finishEvent(db, event, attempt);
  else await postponeEvent(db, event, attempt, Math.round(pause * (1 + Math.random() * jitter)));
  if (answer.error === null) {
    if (event.isFailing) await noteSuccess(db, event);
  } else if (!event.isManual) await noteFailure(db, event, isGone ? 0 : maxFailing);
}

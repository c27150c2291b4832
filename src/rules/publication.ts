// Publication states: their visibility, and their change by writes (docs/contract.md §4). Pure: `now` is passed in.
import type { Audience, CallerKind } from './callers.ts';

export const allStatuses = ['draft', 'scheduled', 'published'] as const;
export type Status = (typeof allStatuses)[number];

/** An entry's publication state and time. */
export interface Publication {
  readonly status: Status;
  readonly publishAt: Date | null;
}

/** The publication members of a payload; absent ones stay as they are. */
export interface PublicationChange {
  readonly status?: Status;
  readonly publishAt?: Date | null;
}

/** Whether an entry's publication state lets an audience see it, and the time at which that changed or will change. */
export interface PublicationDecision {
  readonly visible: boolean;
  /** The time at which it became visible; null if no time decided, or if it is hidden. */
  readonly since: Date | null;
  /** The time at which it becomes visible; null if time alone does not publish it, or if it is visible. */
  readonly until: Date | null;
}

/**
 * Decides whether an entry's publication state lets an audience see it at a time, and reports the time that decided.
 */
export function explainPublication(
  audience: Audience,
  publishable: boolean,
  { status, publishAt }: Publication,
  now: Date,
): PublicationDecision {
  if (audience === 'management' || !publishable) return { visible: true, since: null, until: null };
  if (status === 'draft') return { visible: false, since: null, until: null };
  if (publishAt === null || publishAt <= now) return { visible: true, since: publishAt, until: null };
  return { visible: false, since: null, until: publishAt };
}

/** Whether an entry's publication state lets an audience see it at a time. */
export function isVisible(audience: Audience, publishable: boolean, entry: Publication, now: Date): boolean {
  return explainPublication(audience, publishable, entry, now).visible;
}

/** The state that a new entry of a channel has before its first write. */
export function initialPublication(publishable: boolean): Publication {
  return { status: publishable ? 'draft' : 'published', publishAt: null };
}

/** The state of an entry that is out of publication. */
export const draftPublication: Publication = { status: 'draft', publishAt: null };

/** The state of an entry that is published at a time: scheduled as long as that is to come; null for at once. */
export function publicationAt(publishAt: Date | null, now: Date): Publication {
  return { status: publishAt !== null && publishAt > now ? 'scheduled' : 'published', publishAt };
}

/**
 * The state after a write. Only a master token can set it. A write by another caller makes an entry of a publishable
 * channel a draft, and leaves the state of an entry in another channel unchanged.
 */
export function publicationAfterWrite(
  kind: CallerKind,
  publishable: boolean,
  before: Publication,
  change: PublicationChange,
): Publication {
  if (kind !== 'master') return publishable ? draftPublication : before;
  return changedPublication(before, change);
}

/** Applies the members of a change to a state: absent members stay as they were. */
export function changedPublication(before: Publication, change: PublicationChange): Publication {
  return {
    status: change.status ?? before.status,
    publishAt: change.publishAt === undefined ? before.publishAt : change.publishAt,
  };
}

/** Whether a state can be stored: `scheduled` requires a time. */
export function isComplete({ status, publishAt }: Publication): boolean {
  return status !== 'scheduled' || publishAt !== null;
}

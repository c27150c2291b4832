// What a publication state means, and how a write changes it (docs/contract.md §4). Pure: `now` is passed in.
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

/** Whether an entry's publication state lets an audience see it at a time. */
export function isVisible(audience: Audience, publishable: boolean, entry: Publication, now: Date): boolean {
  if (audience === 'management' || !publishable) return true;
  return entry.status !== 'draft' && (entry.publishAt === null || entry.publishAt <= now);
}

/** The state that a new entry of a channel has before its first write. */
export function initialPublication(publishable: boolean): Publication {
  return { status: publishable ? 'draft' : 'published', publishAt: null };
}

/**
 * The state after a write. Only a master token can set it. A write by any other caller makes an entry of a publishable
 * channel a draft, and leaves the state of an entry of another channel as it is.
 */
export function publicationAfterWrite(
  kind: CallerKind,
  publishable: boolean,
  before: Publication,
  change: PublicationChange,
): Publication {
  if (kind !== 'master') return publishable ? { status: 'draft', publishAt: null } : before;
  return changedPublication(before, change);
}

/** The state that a change asks for: absent members stay as they were. */
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

// Whether a viewer could fetch an entry: access and publication together. src/entries/predicate.ts is its rendering in SQL;
// the two are held equal by tests.
import type { Caller } from './callers.ts';
import { mayRead, subjectOf, type ChannelAcl, type Guarded, type Subject } from './access.ts';
import { audienceOf, isVisible, type Audience, type Publication } from './publication.ts';

/** Whom a read is for. */
export interface Viewer {
  readonly subject: Subject;
  readonly audience: Audience;
  readonly now: Date;
}

/**
 * The viewer of an operation.
 * @param useAcl whether the request or the operation asked for access control on a master token
 */
export function makeViewer(caller: Caller, useAcl: boolean, now: Date): Viewer {
  return { subject: subjectOf(caller, useAcl), audience: audienceOf(caller.kind), now };
}

/** What visibility looks at in a channel. */
export interface ChannelRules {
  readonly acl: ChannelAcl;
  readonly publishable: boolean;
}

/** Whether `viewer` could fetch `entry` of `channel`. */
export function maySee(viewer: Viewer, channel: ChannelRules, entry: Guarded & Publication): boolean {
  return (
    mayRead(viewer.subject, channel.acl, entry) && isVisible(viewer.audience, channel.publishable, entry, viewer.now)
  );
}

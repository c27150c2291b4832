// Whether a viewer could fetch an entry: access and publication together. src/entries/predicate.ts is its rendering in SQL;
// the two are held equal by tests.
import { mayRead, subjectOf, type Caller, type ChannelAcl, type Guarded, type Subject } from './access.ts';
import { audienceOf, isVisible, type Audience, type Publication } from './publication.ts';

/** Whom a read is for. */
export interface Viewer {
  readonly subject: Subject;
  readonly audience: Audience;
  readonly now: Date;
}

/** Whom an operation reads for: `useAcl` may be asked for by its request, or by the operation itself. */
export function viewerOf(request: { caller: Caller; useAcl: boolean; now: Date }, useAcl: boolean): Viewer {
  const { caller, now } = request;
  return {
    subject: subjectOf(caller, request.useAcl || useAcl),
    audience: audienceOf(caller.kind),
    now,
  };
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

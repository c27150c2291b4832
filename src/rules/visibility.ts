// Whether a viewer could fetch an entry: access and publication together. src/db/where.ts is its rendering in SQL;
// the two are held equal by tests.
import { mayRead, type ChannelAcl, type Guarded, type Subject } from './access.ts';
import { isVisible, type Audience, type Publication } from './publication.ts';

/** Whom a read is for. */
export interface Viewer {
  readonly subject: Subject;
  readonly audience: Audience;
  readonly now: Date;
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

// What a person changed of who may do what in a channel. Pure.
import { actions, type Action, type Channel, type ChannelAcl, type Scope } from '../api/types.ts';

export interface ChannelAccessForm {
  readonly acl: ChannelAcl;
  readonly publishable: boolean;
}

export interface ChangedAccess {
  readonly acl?: Readonly<Partial<Record<Action, Scope>>>;
  readonly publishable?: boolean;
}

const nobody: ChannelAcl = { read: 'none', create: 'none', update: 'none', delete: 'none' };

/** The access of a channel as a form begins with it. */
export function readAccess({ acl = nobody, publishable }: Pick<Channel, 'acl' | 'publishable'>): ChannelAccessForm {
  return { acl, publishable };
}

/** What differs from what the form began with: a save sends this alone, so that it takes back nothing that others changed. */
export function changedAccess(first: ChannelAccessForm, form: ChannelAccessForm): ChangedAccess {
  const changed = actions.filter((action) => form.acl[action] !== first.acl[action]);
  return {
    ...(changed.length > 0 && { acl: Object.fromEntries(changed.map((action) => [action, form.acl[action]])) }),
    ...(form.publishable !== first.publishable && { publishable: form.publishable }),
  };
}

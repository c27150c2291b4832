// What a change of an entry's access list does, and for whom. The rules are the service's own: src/rules/access.ts. Pure.
import { explainAccess } from '../../../src/rules/access.ts';
import { longActorKey, type Subject } from '../../../src/rules/actors.ts';
import type { Action, ChannelAcl, EntryAcl, Json } from '../api/types.ts';
import { readObject } from '../fields/values.ts';
import { nameKey } from '../preview/why.ts';

export interface AccessList {
  readonly acl: EntryAcl;
  readonly owner: string | null;
}

export interface Difference {
  readonly who: string;
  readonly gains: readonly Action[];
  readonly loses: readonly Action[];
}

/** The actions on an entry. `create` is the channel's alone. */
export const entryActions = ['read', 'update', 'delete'] as const;

export function readAcl(value: Json): EntryAcl {
  return readObject(value) as unknown as EntryAcl;
}

/** Who gains and who loses which actions, among those that one of the lists names, anonymous visitors and customers. */
export function compareAccess(channel: ChannelAcl, before: AccessList, after: AccessList): readonly Difference[] {
  return subjects(before, after).flatMap(({ who, subject }) => {
    const was = allowed(subject, channel, before);
    const is = allowed(subject, channel, after);
    const gains = entryActions.filter((action) => is[action] && !was[action]);
    const loses = entryActions.filter((action) => was[action] && !is[action]);
    return gains.length + loses.length === 0 ? [] : [{ who, gains, loses }];
  });
}

interface Named {
  readonly who: string;
  readonly subject: Subject;
}

/** Each stands for those whom the list tells apart. */
function subjects(...lists: readonly AccessList[]): readonly Named[] {
  const keys = new Set(lists.flatMap(({ acl }) => Object.keys(acl)).filter((key) => key !== '*' && key !== 'users'));
  const owners = lists.flatMap(({ owner }) => (owner === null ? [] : [`id:${owner}`]));
  const longKeys = new Set([...keys].map(longActorKey).concat(owners));
  return [
    { who: 'anonymous visitors', subject: { is: 'anonymous' } },
    { who: 'signed-in customers whom no key names', subject: { is: 'customer', id: null, roles: [] } },
    ...[...longKeys].map((key): Named => {
      const isRole = key.startsWith('role:');
      const name = key.replace(/^(id|role):/, '');
      const subject = { is: 'customer', id: isRole ? null : name, roles: isRole ? [name] : [] } as const;
      return { who: isRole ? `customers with ${nameKey(key)}` : nameKey(key), subject };
    }),
  ];
}

function allowed(subject: Subject, channel: ChannelAcl, entry: AccessList): Record<Action, boolean> {
  const viewer = { subject, audience: 'management', now: new Date(0) } as const;
  // Publication does not matter here: it hides an entry from everybody alike.
  const guarded = { ...entry, status: 'published', publishAt: null } as const;
  const rules = { uid: '', acl: channel, publishable: false };
  const { read, update, delete: remove, create } = explainAccess(viewer, rules, guarded, 'user');
  return { read: read.allowed, update: update.allowed, delete: remove.allowed, create: create.allowed };
}

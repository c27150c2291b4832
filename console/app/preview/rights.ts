// Says what somebody may not do. The service decides it (docs/contract.md §10.4); `Why?` tells what decided. Pure.
import type { TokenKind, User } from '../api/types.ts';

const verbs = { update: 'change', delete: 'delete', publish: 'publish' } as const;

interface Who {
  readonly kind: TokenKind;
  /** Null: a token was pasted. */
  readonly user: User | null;
}

const nameWho = ({ kind, user }: Who): string => (user === null ? `Your ${kind} token` : 'You');

/** Why there is no way to change, delete or publish an entry. */
export function sayRefused(who: Who, action: keyof typeof verbs): string {
  return `${nameWho(who)} may not ${verbs[action]} this entry.${who.kind === 'public' ? '' : ' “Who sees it, and why?” tells what decides.'}`;
}

/** Why there is no way to a new entry. */
export function sayRefusedCreate(who: Who): string {
  return `${nameWho(who)} may not create entries in this channel.`;
}

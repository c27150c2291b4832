// Says what a token may not do. The service decides it (docs/contract.md §10.4); `Why?` tells what decided. Pure.
import type { TokenKind } from '../api/session.ts';

const verbs = { update: 'change', delete: 'delete', publish: 'publish' } as const;

/** Why there is no way to change, delete or publish an entry. */
export function sayRefused(kind: TokenKind, action: keyof typeof verbs): string {
  return `Your ${kind} token may not ${verbs[action]} this entry.${kind === 'public' ? '' : ' “Who sees it, and why?” tells what decides.'}`;
}

/** Why there is no way to a new entry. */
export function sayRefusedCreate(kind: TokenKind): string {
  return `Your ${kind} token may not create entries in this channel.`;
}

// What decides what a reader of changes is told (docs/contract.md §9.2): readers for whom it is equal share their looks.
import { createHash } from 'node:crypto';
import { writeCanonical } from '../../base/canonical.ts';
import type { ChangesArguments } from './input.ts';
import type { Caller } from '../../rules/callers.ts';

/**
 * Everything that decides what a reader is told, and in which form. A look is made of this, the place and the moment alone: it
 * knows nothing else of any request, so that nothing can decide that is not here.
 */
export interface Reading {
  readonly site: string;
  readonly caller: Caller;
  /** Whether the URL asked for access control even with a master token. */
  readonly useAcl: boolean;
  /** The service's address, which the addresses of entries begin with. */
  readonly baseUrl: string;
  /** The arguments as they were sent, without the place. */
  readonly args: Omit<ChangesArguments, 'after'>;
  /** How it is written: the door and what it was asked for. */
  readonly form: unknown;
}

/**
 * The key of a reading: two have the same one only if they are equal in every member, however deep.
 * @throws TypeError where a member is not plain data, since it may then decide by more than can be compared
 */
export function readingKey(reading: Reading): string {
  return createHash('sha256').update(writeCanonical(reading)).digest('base64');
}

// The values that decide the content a reader of changes receives (docs/contract.md §9.2): readers with equal ones have
// their polls in common.
import { createHash } from 'node:crypto';
import { writeCanonical } from '../../base/canonical.ts';
import type { ChangesArguments } from './input.ts';
import type { Caller } from '../../rules/callers.ts';

/**
 * Everything that decides the content a reader receives, and its form. A poll is made from this, the position and the
 * time alone: it has no access to a request, so that no other value can decide.
 */
export interface Reading {
  readonly site: string;
  readonly caller: Caller;
  /** Whether the URL asked for access control even with a master token. */
  readonly useAcl: boolean;
  /** The service's address, which the addresses of entries begin with. */
  readonly baseUrl: string;
  /** The arguments as they were sent, without the position. */
  readonly args: Omit<ChangesArguments, 'after'>;
  /** The form of the output: the door and its format. */
  readonly form: unknown;
}

/**
 * The key of a reading: two have the same one only if they are equal in every member, however deep.
 * @throws TypeError if a member is not plain data, since it may hide values that decide
 */
export function readingKey(reading: Reading): string {
  return createHash('sha256').update(writeCanonical(reading)).digest('base64');
}

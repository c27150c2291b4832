// Says why somebody could not sign in. Pure.
import type { Problem } from '../api/problem.ts';

/** A sentence on a sign-in that was refused. */
export function sayNotSignedIn({ status, message, details }: Problem): string {
  if (status === 401) return 'Email and password do not belong together. Nothing says which of the two is wrong.';
  if (status === 429) return `Too many attempts have failed. Try again ${sayWait(details.retryAfter)}.`;
  if (status === 503) return `Too many people sign in at this moment. Try again ${sayWait(details.retryAfter)}.`;
  return message;
}

/** A time to wait in words. @param seconds null: it is not known */
function sayWait(seconds: number | null): string {
  if (seconds === null) return 'in a moment';
  if (seconds <= 90) return seconds === 1 ? 'in a second' : `in ${seconds} seconds`;
  return `in ${Math.ceil(seconds / 60)} minutes`;
}

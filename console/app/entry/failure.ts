// What is said of a save that was refused or failed. Pure.
import type { FieldProblem } from '../../../clients/typescript/src/problem.ts';
import type { Problem } from '../api/problem.ts';

/** The member that a problem is about: a message may be about a part of its value, such as `tags[1]`. */
export function memberOf({ field }: FieldProblem): string {
  return field.replace(/[.[].*$/s, '');
}

/** A sentence for the bar beside the button of an entry: that nothing was saved, and how many of its fields are the reason. */
export function saySaveFailure(problem: Problem, isConnected: boolean): string {
  const count = new Set(problem.details.errors.map(memberOf)).size;
  // The error of a 403 names the right that is missing, and no field.
  if (count === 0 || problem.status === 403) return sayRefusal(problem, isConnected);
  return `Not saved: ${count === 1 ? '1 field is' : `${count} fields are`} not right`;
}

/**
 * A sentence for the bar beside a button: that nothing was saved, and why.
 * @param isConnected whether the browser knows of no loss of its connection
 */
export function sayRefusal({ status, details }: Problem, isConnected: boolean): string {
  if (details.code === 'unreachable' && !isConnected) return 'Not saved: no connection';
  if (details.code === 'unreachable') return 'Not saved: the service did not answer';
  return `Not saved: ${details.title}${status === 0 ? '' : ` (${status})`}`;
}

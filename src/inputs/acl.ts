// Checks `_acl`, the access list of an entry (docs/contract.md §3).
import { z } from 'zod';
import { isLongerThan } from '../fields/text.ts';
import { didYouMean, nearestName } from '../base/nearestName.ts';
import { actions, type EntryAcl } from '../rules/access.ts';
import { isEmptyActorKey, longActorKey, maxActorKeyLength } from '../rules/actors.ts';
import { isObject } from './json.ts';
import { findInvisible } from '../rules/visibleText.ts';

export const maxActorKeys = 100;

/**
 * An access list in the form that payload.ts makes: pairs of actor key and rule; null clears it. The output is stored.
 */
export const aclInput = z
  .array(z.tuple([z.string(), z.unknown()]), { error: 'must be an object of actor keys' })
  .max(maxActorKeys, `must have at most ${maxActorKeys} actor keys`)
  .nullable()
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    for (const [key, rule] of rules ?? []) {
      const long = longActorKey(key);
      const problem = findKeyProblem(key) ?? findRuleProblem(rule) ?? (seen.has(long) ? 'is named twice' : null);
      seen.add(long);
      if (problem !== null)
        context.addIssue({ code: 'custom', message: `the actor ${JSON.stringify(key)} ${problem}` });
    }
  })
  .transform((rules): EntryAcl => Object.fromEntries((rules ?? []) as [string, EntryAcl[string]][]));

function findKeyProblem(key: string): string | null {
  if (isEmptyActorKey(key)) return 'names nobody';
  if (isLongerThan(key, maxActorKeyLength)) return `must have at most ${maxActorKeyLength} characters`;
  // Only the name is checked, as it was when the customer or its role was made: a prefix may be followed by a space.
  const long = longActorKey(key);
  return findInvisible(long.slice(long.indexOf(':') + 1));
}

function findRuleProblem(rule: unknown): string | null {
  if (!isObject(rule)) return `must have an object of actions (${actions.join(', ')})`;
  const unknown = Object.keys(rule).find((name) => !actions.some((action) => action === name));
  if (unknown !== undefined) {
    const hint = didYouMean(nearestName(unknown, actions), `; use ${actions.join(', ')}`);
    return `has the unknown action ${JSON.stringify(unknown)}${hint}`;
  }
  const odd = Object.entries(rule).find(([, allowed]) => typeof allowed !== 'boolean');
  return odd === undefined ? null : `must have true or false for ${odd[0]}`;
}

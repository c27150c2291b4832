// `_acl`: an entry's access list, checked (docs/contract.md §3).
import { z } from 'zod';
import { longActorKey, type EntryAcl } from '../rules/access.ts';
import { isObject } from './json.ts';

const mostKeys = 100;
const longestKey = 260;
const actions = ['create', 'read', 'update', 'delete'];

/** A list of [actor key, rule], as payload.ts makes it; null clears. */
export const aclInput = z
  .array(z.tuple([z.string(), z.unknown()]), { error: 'must be an object of actor keys' })
  .max(mostKeys, `holds at most ${mostKeys} actor keys`)
  .nullable()
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    for (const [key, rule] of rules ?? []) {
      const long = longActorKey(key);
      const wrong = actorProblem(key) ?? ruleProblem(rule) ?? (seen.has(long) ? 'is named twice' : null);
      seen.add(long);
      if (wrong !== null) context.addIssue({ code: 'custom', message: `the actor ${JSON.stringify(key)} ${wrong}` });
    }
  })
  .transform((rules): EntryAcl => Object.fromEntries((rules ?? []) as [string, EntryAcl[string]][]));

function actorProblem(key: string): string | null {
  if (key === '') return 'is empty';
  if (key === 'id:' || key === 'role:') return 'names nobody';
  return key.length > longestKey ? `has more than ${longestKey} characters` : null;
}

function ruleProblem(rule: unknown): string | null {
  if (!isObject(rule)) return 'has no object of actions';
  const unknown = Object.keys(rule).find((action) => !actions.includes(action));
  if (unknown !== undefined) return `has the unknown action ${JSON.stringify(unknown)}`;
  const odd = Object.entries(rule).find(([, allowed]) => typeof allowed !== 'boolean');
  return odd === undefined ? null : `has a ${odd[0]} that is neither true nor false`;
}

// `_acl`: an entry's access list, checked (contract §3).
import { z } from 'zod';
import { longActorKey, type EntryAcl } from '../rules/access.ts';

const mostKeys = 100;
const longestKey = 260;

const rule = z.strictObject({
  create: z.boolean().optional(),
  read: z.boolean().optional(),
  update: z.boolean().optional(),
  delete: z.boolean().optional(),
});

const actor = z
  .string()
  .min(1, 'an actor key is not empty')
  .max(longestKey, `an actor key has at most ${longestKey} characters`)
  .refine((key) => key !== 'id:' && key !== 'role:', 'an actor key names somebody after "id:" and "role:"');

/** A list of [actor key, rule], as payload.ts makes it; null clears. */
export const aclInput = z
  .array(z.tuple([actor, rule]), { error: 'must be an object of actor keys' })
  .max(mostKeys, `holds at most ${mostKeys} actor keys`)
  .nullable()
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    for (const [key] of rules ?? []) {
      const long = longActorKey(key);
      if (seen.has(long)) {
        context.addIssue({ code: 'custom', message: `the actor ${JSON.stringify(long)} is named twice` });
      }
      seen.add(long);
    }
  })
  .transform((rules): EntryAcl => Object.fromEntries((rules ?? []) as [string, EntryAcl[string]][]));

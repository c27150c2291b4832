// Checks the rules of fields that a channel declares (docs/contract.md §14.6): the form of their keys, what they need of the field and
// of the channel, and that there are the roles that they name.
import { z } from 'zod';
import { isBuiltIn } from '../../auth/members.ts';
import { failValidation, fail, type FieldError } from '../../base/errors.ts';
import type { ReadingClient } from '../../database/client.ts';
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { customerRoleInput } from '../../inputs/customer.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import {
  coversKey,
  hasRule,
  maxRuleKeys,
  memberRolePrefix,
  namedMemberRoles,
  ownerKey,
} from '../../rules/fieldRules.ts';
import { isHandle } from '../../rules/names.ts';
import { builtInRoles } from '../../rules/rights.ts';
import { lockRoles } from '../roles/site.ts';

const ruleCode = { code: 'invalid_rule' };
const words = ['*', 'users', 'members'];
const rolePrefix = 'role:';

/** Makes the schema of a rule: a list of distinct actor keys. @param others the keys that it takes beside those of every rule */
function ruleInput(
  others: readonly string[],
): z.ZodType<readonly string[] | undefined, readonly string[] | null | undefined> {
  const known = [...words, ...others];
  const list = [...known, 'role:<customer role>', 'members:<role>'].join(', ');
  const key = z.string().superRefine((text, context) => {
    if (known.includes(text) || isRoleKey(text)) return;
    context.addIssue({ code: 'custom', message: `must be one of ${list}`, params: ruleCode, input: text });
  });
  return z
    .array(key)
    .superRefine((keys, context) => {
      if (keys.length <= maxRuleKeys) return;
      context.addIssue({ code: 'custom', message: `must have at most ${maxRuleKeys} keys`, params: ruleCode });
    })
    .nullish()
    .transform((keys) => (keys === null || keys === undefined ? undefined : [...new Set(keys)]));
}

function isRoleKey(key: string): boolean {
  if (key.startsWith(memberRolePrefix)) return isHandle(key.slice(memberRolePrefix.length));
  return key.startsWith(rolePrefix) && customerRoleInput.safeParse(key.slice(rolePrefix.length)).success;
}

/** The schemas of the rules of a field. */
export const rulesInput = { read: ruleInput([]), write: ruleInput([ownerKey]) };

/** The rules of a definition; those that are absent are left out. */
export function definedRules({
  read,
  write,
}: z.output<z.ZodObject<typeof rulesInput>>): Pick<FieldDefinition, 'read' | 'write'> {
  return { ...(read !== undefined && { read }), ...(write !== undefined && { write }) };
}

/** Lists the misfits of a field's own rules: the member, and the message. */
export function findRuleMisfits(field: FieldDefinition): (readonly ['read' | 'write' | 'required', string])[] {
  const { read, write, unique, required } = field;
  const misfits: (readonly ['read' | 'write' | 'required', string])[] = [];
  if (hasRule(field) && required && field.default === null) {
    misfits.push(['required', 'needs a default in a field with a rule: writers may not know of the field']);
  }
  if (read === undefined || !unique) return misfits;
  // A conflict of unique values would tell of a value that the writer cannot read.
  if (field.default !== null) misfits.push(['read', 'cannot be declared for a unique field with a default']);
  if (required) misfits.push(['read', 'cannot be declared for a unique field that is required']);
  if (write?.includes(ownerKey) === true)
    misfits.push(['write', 'must not have owner: the field is unique and has a read rule']);
  const uncovered = (write ?? []).find((key) => key !== ownerKey && !coversKey(read, key));
  if (uncovered !== undefined) {
    misfits.push([
      'write',
      `must have no key that read does not cover, as ${JSON.stringify(uncovered)}: the field is unique`,
    ]);
  }
  return misfits;
}

/** Refuses a rule for reading the title field, which names entries to all of their readers. @throws validation_failed */
export function refuseTitleRule(titleField: string, fields: readonly FieldDefinition[]): void {
  const index = fields.findIndex(({ name, read }) => name === titleField && read !== undefined);
  if (index === -1) return;
  const message = `${index}.read: cannot be declared for the title field`;
  failValidation([{ field: 'fields', code: 'invalid_rule', message }]);
}

/**
 * Requires that there are the roles of members that rules name, until the transaction ends.
 * @throws validation_failed
 */
export async function requireNamedRoles(
  db: TransactionClient,
  siteId: string,
  fields: readonly FieldDefinition[],
): Promise<void> {
  const named = fields.map(({ read = [], write = [] }) => namedMemberRoles([...read, ...write]));
  if (named.every(({ length }) => length === 0)) return;
  await lockRoles(db, siteId);
  const own = await db.role.findMany({ where: { siteId }, select: { id: true } });
  const known = [...builtInRoles, ...own].map(({ id }) => id);
  const errors = named.flatMap((roles, index): FieldError[] =>
    roles
      .filter((role) => !isBuiltIn(role) && !known.includes(role))
      .map((role) => {
        const message = `${index}: there is no role ${JSON.stringify(role)} of members${didYouMean(nearestName(role, known))}`;
        return { field: 'fields', code: 'invalid_rule', message };
      }),
  );
  if (errors.length > 0) failValidation(errors);
}

/** Finds the roles of members that the rules of a site's channels name, each with a channel that does. */
export async function findNamedRoles(
  db: Pick<ReadingClient, 'channel'>,
  siteId: string,
): Promise<ReadonlyMap<string, string>> {
  const channels = await db.channel.findMany({ where: { siteId }, select: { id: true, fieldRules: true } });
  const named = channels.flatMap(({ id, fieldRules }) =>
    namedMemberRoles((fieldRules as unknown as readonly (readonly string[])[]).flat()).map(
      (role) => [role, id] as const,
    ),
  );
  return new Map(named);
}

/** Refuses the deletion of a role that a rule names. @throws conflict */
export async function refuseNamedRole(
  db: Pick<TransactionClient, 'channel'>,
  siteId: string,
  role: string,
): Promise<void> {
  const channel = (await findNamedRoles(db, siteId)).get(role);
  if (channel === undefined) return;
  const message = `a field of the channel ${JSON.stringify(channel)} has a rule that names it`;
  fail('conflict', {
    detail: `The role "${role}" is in use: ${message}.`,
    errors: [{ field: 'id', code: 'in_use', message }],
  });
}

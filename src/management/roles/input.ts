// Checks the rights that somebody gives a role, and the roles that somebody gives a member (docs/contract.md §14.2).
import { isBuiltIn } from '../../auth/members.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { failValidation, type FieldError } from '../../base/errors.ts';
import type { ReadingClient } from '../../database/client.ts';
import {
  allRights,
  builtInRoles,
  maxRightsOfRole,
  maxRolesOfMember,
  parseRight,
  writeRight,
} from '../../rules/rights.ts';

/**
 * Checks the texts of a role's rights, and converts them to those that are stored, which name channels by their `uid`s.
 * @param uidOf the `uid`s of the site's channels, by their ids
 * @throws validation_failed with every error
 */
export function checkRights(texts: readonly string[], uidOf: ReadonlyMap<string, string>): string[] {
  const errors: FieldError[] = [];
  if (texts.length > maxRightsOfRole) {
    errors.push({ field: 'rights', code: 'too_long', message: `must be at most ${maxRightsOfRole} rights` });
  }
  const stored = [...new Set(texts)].slice(0, maxRightsOfRole).flatMap((text, index) => {
    const right = parseRight(text);
    const field = `rights.${index}`;
    if (right === null) {
      const end = didYouMean(nearestName(text.split('@')[0] ?? '', allRights));
      errors.push({ field, code: 'unknown_right', message: `${JSON.stringify(text)} is no right${end}` });
      return [];
    }
    const channel = right.channel === null ? null : uidOf.get(right.channel);
    if (channel === undefined) {
      const end = didYouMean(nearestName(right.channel ?? '', uidOf.keys()));
      errors.push({
        field,
        code: 'unknown_channel',
        message: `there is no channel ${JSON.stringify(right.channel)}${end}`,
      });
      return [];
    }
    return writeRight({ ...right, channel });
  });
  if (errors.length > 0) failValidation(errors);
  return stored;
}

/**
 * Checks the ids of a member's roles.
 * @throws validation_failed for too many, and for a role that there is not
 */
export async function checkRoles(
  ids: readonly string[],
  siteId: string,
  db: Pick<ReadingClient, 'role'>,
): Promise<string[]> {
  const roles = [...new Set(ids)];
  const own = await db.role.findMany({ where: { siteId }, select: { id: true } });
  const known = [...builtInRoles, ...own].map(({ id }) => id);
  const errors = roles.flatMap((role): FieldError[] => {
    if (isBuiltIn(role) || known.includes(role)) return [];
    const message = `there is no role ${JSON.stringify(role)}${didYouMean(nearestName(role, known))}`;
    return [{ field: 'roles', code: 'unknown_role', message }];
  });
  if (roles.length > maxRolesOfMember) {
    errors.push({ field: 'roles', code: 'too_long', message: `must be at most ${maxRolesOfMember} roles` });
  }
  if (errors.length > 0) failValidation(errors);
  return roles;
}

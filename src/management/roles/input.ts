// Checks the data of a role, the rights that it gets, and the roles that a member gets (docs/contract.md §14.2).
import { z } from 'zod';
import { isBuiltIn } from '../../auth/members.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { failValidation, type FieldError } from '../../base/errors.ts';
import type { ReadingClient } from '../../database/client.ts';
import { lineOfText, upTo } from '../../fields/text.ts';
import type { RoleInput, RolePatch } from '../../generated/graphql/types.ts';
import { parseSent, wrongType, type Body, type Sent } from '../../inputs/sent.ts';
import { handleRule, isHandle } from '../../rules/names.ts';
import {
  allRights,
  builtInRoles,
  maxRightsOfRole,
  maxRolesOfMember,
  parseRight,
  writeRight,
} from '../../rules/rights.ts';

/** A role as somebody makes it. */
export interface RoleData {
  readonly id: string;
  readonly name: string | null;
  /** The texts of its rights, which name channels by their ids. */
  readonly rights: readonly string[];
}

/** The members that a change of a role sets; absent ones stay. */
export interface RoleChanges {
  readonly name?: string | null | undefined;
  readonly rights?: readonly string[] | undefined;
}

/** No right is longer: the name of a channel has 63 characters. */
const maxRightLength = 100;

/** The schema of the rights of a role, and of a token's scopes. */
export const rightsInput = z
  .array(upTo(z.string(), maxRightLength), wrongType('a list of rights'))
  .max(maxRightsOfRole, `must be at most ${maxRightsOfRole} rights`);

const roleMembers = { name: upTo(lineOfText(), 255).nullish(), rights: rightsInput };
/** The schema of a new role. */
export const newRoleInput = z.object({
  id: z.string(wrongType('text')).refine(isHandle, handleRule),
  ...roleMembers,
});
/** The schema of a patch of a role. */
export const rolePatchInput = z.object({ ...roleMembers, rights: roleMembers.rights.optional() });
/** The members that the service sets. */
export const readOnlyOfRoles = ['built_in', 'created_at', 'updated_at'];

/** Checks a new role's data, apart from what its rights are. @throws validation_failed with every error of the input */
export function checkNewRole(sent: Sent<RoleInput>): RoleData {
  const { id, name, rights } = parseSent(newRoleInput, sent, { readOnly: readOnlyOfRoles });
  return { id, name: name ?? null, rights };
}

/** Checks the data that a patch sets; null clears the name. @throws validation_failed with every error of the input */
export function checkRolePatch(sent: Sent<RolePatch>): RoleChanges {
  const { name, rights } = parseSent(rolePatchInput, sent, { readOnly: ['id', ...readOnlyOfRoles] });
  return { name, rights };
}

/** The schema of the roles that a member gets. */
export const memberRolesInput = z.object({
  roles: z
    .array(z.string(), wrongType('a list of roles'))
    .max(maxRolesOfMember, `must be at most ${maxRolesOfMember} roles`),
});
/** The members of a member that nobody sets. */
export const readOnlyOfMembers = ['user', 'name', 'email', 'created_at'];

/** Checks the form of a member's roles, which GraphQL names beside the member. @throws validation_failed */
export function checkMemberRoles(sent: { readonly roles: readonly string[] } | { readonly body: Body }): string[] {
  return parseSent(memberRolesInput, 'body' in sent ? sent : { input: sent }, { readOnly: readOnlyOfMembers }).roles;
}

/**
 * Checks the texts of a role's rights or of a token's scopes, and converts them to those that are stored, which name channels by their
 * `uid`s.
 * @param uidOf the `uid`s of the site's channels, by their ids: of those that exist to the sender of the texts
 * @param member the name of the member that has them
 * @throws validation_failed with every error
 */
export function checkRights(
  texts: readonly string[],
  uidOf: ReadonlyMap<string, string>,
  member: 'rights' | 'scopes',
): string[] {
  const errors: FieldError[] = [];
  if (texts.length > maxRightsOfRole) {
    errors.push({ field: member, code: 'too_long', message: `must be at most ${maxRightsOfRole} rights` });
  }
  const stored = [...new Set(texts)].slice(0, maxRightsOfRole).flatMap((text, index) => {
    const right = parseRight(text);
    const field = `${member}.${index}`;
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

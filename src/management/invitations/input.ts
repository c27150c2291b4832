// Checks the data of a new invitation (docs/contract.md §14.2).
import { z } from 'zod';
import { emailValue, foldAscii } from '../../fields/email.ts';
import { timeInput } from '../../fields/time.ts';
import type { InvitationInput } from '../../generated/graphql/types.ts';
import { parseSent, type Sent } from '../../inputs/sent.ts';
import { memberRolesInput } from '../roles/input.ts';

const day = 24 * 3_600_000;
/** The lifetime of an invitation: default and maximum. */
export const invitationLifetime = 7 * day;
const maxLifetime = 30 * day;

/** An invitation as somebody makes it. */
export interface InvitationData {
  readonly email: string;
  /** The ids of the roles, which are not looked up yet. */
  readonly roles: readonly string[];
  readonly expiresAt: Date;
}

/** A new user gets the address in lower case, as commands store it. */
const isInLowerCase = (email: string): boolean => foldAscii(email) === email.toLowerCase();

/** The schema of a new invitation, whose end must also be near enough. */
export const newInvitationInput = z.object({
  email: emailValue.refine(isInLowerCase, 'must have its letters beyond ASCII in lower case'),
  roles: memberRolesInput.shape.roles,
  expiresAt: timeInput.nullish(),
});
/** The members of an invitation that nobody sets. */
export const readOnlyOfInvitations = ['id', 'created_at', 'url'];

/** Checks a new invitation's data, apart from whether there are its roles. @throws validation_failed with every error of the input */
export function checkNewInvitation(sent: Sent<InvitationInput>, now: Date): InvitationData {
  const last = new Date(now.getTime() + maxLifetime);
  const schema = newInvitationInput.extend({
    expiresAt: timeInput
      .refine((time) => time > now, 'must be in the future')
      .refine((time) => time <= last, 'must be within 30 days')
      .nullish(),
  });
  const settings = { names: { expiresAt: 'expires_at' }, readOnly: readOnlyOfInvitations };
  const { email, roles, expiresAt } = parseSent(schema, sent, settings);
  return { email, roles, expiresAt: expiresAt ?? new Date(now.getTime() + invitationLifetime) };
}

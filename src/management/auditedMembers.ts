// The members that the audit log records of each kind of object (docs/contract.md §13.6): those that callers set, by
// their names in REST. Each is listed, so that a new column stays out of the log until it is listed; no secret and no
// hash is.
import type { AuditedMembers } from '../resolvers/auditRecords.ts';
import { channelRules } from '../fields/compiled.ts';
import type {
  Channel,
  Customer,
  Invitation,
  Provider,
  Session,
  SignIn,
  Site,
  Token,
  User,
} from '../generated/prisma/client.ts';

/** The settings of a channel. Those with two names in REST are stored under the older one, and shown under both. */
export function auditChannel(row: Channel): AuditedMembers {
  const { name, description, publishable, titleField, language, typeName, layout, fields } = row;
  const { acl } = channelRules(row);
  return { name, description, publishable, acl, titleField, language, typeName, layout, fields };
}

/** The identity and the roles of a customer. */
export function auditCustomer({ email, name, roles }: Customer): AuditedMembers {
  return { email, name, roles } satisfies Omit<Customer, 'siteId' | 'id' | 'createdAt' | 'updatedAt'>;
}

/** The customer and the lifetime of a session. */
export function auditSession({ customerId, expiresAt, revokedAt }: Session): AuditedMembers {
  return { customer: customerId, expires_at: auditTime(expiresAt), revoked_at: auditTime(revokedAt) };
}

/**
 * The purpose and the lifetime of a token; `user` is the id of the user that it belongs to.
 * @param scopes the texts of its scopes; null for none, and where the record is of something else
 */
export function auditToken(
  { kind, name, userId, expiresAt, revokedAt }: Token,
  scopes: readonly string[] | null,
): AuditedMembers {
  const times = { expires_at: auditTime(expiresAt), revoked_at: auditTime(revokedAt) };
  return { kind, name, ...(userId !== null && { user: userId }), ...(scopes !== null && { scopes }), ...times };
}

/** The name of a site. */
export function auditSite({ name }: Pick<Site, 'name'>): AuditedMembers {
  return { name };
}

/** A membership: the identity of its user, and its roles. */
export function auditMember(user: Pick<User, 'email' | 'name'>, roles: readonly string[]): AuditedMembers {
  return { ...auditUser(user), roles };
}

/** The address, the roles and the end of an invitation. */
export function auditInvitation({ email, roles, expiresAt }: Invitation): AuditedMembers {
  return { email, roles, expires_at: auditTime(expiresAt) };
}

/** The identity of a user. */
export function auditUser({ email, name }: Pick<User, 'email' | 'name'>): AuditedMembers {
  return { email, name };
}

/** The user and the end of a sign-in, and the provider by which it was made. */
export function auditSignIn({ userId, expiresAt, providerId }: SignIn): AuditedMembers {
  return { user: userId, expires_at: auditTime(expiresAt), ...(providerId !== null && { provider: providerId }) };
}

/** The settings of a provider but for the secret. */
export function auditProvider({ name, issuer, clientId, domains }: Provider): AuditedMembers {
  return { name, issuer, client_id: clientId, domains };
}

/** A time as records store it. */
export function auditTime(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

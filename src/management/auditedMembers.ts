// What the audit log says of each kind of thing (docs/contract.md §13.6): the members that somebody sets, by the names that REST
// has for them. Each is listed, so that a new column stays out of the log until somebody lists it; no secret and no hash is.
import type { AuditedMembers } from '../resolvers/auditRecords.ts';
import { channelRules } from '../fields/compiled.ts';
import type { Channel, Customer, Session, Site, Token, User } from '../generated/prisma/client.ts';

/** The settings of a channel. Those with two names in REST are stored by the older one, and shown by both. */
export function auditChannel(row: Channel): AuditedMembers {
  const { name, description, publishable, titleField, language, typeName, fields } = row;
  return { name, description, publishable, acl: channelRules(row).acl, titleField, language, typeName, fields };
}

/** Who a customer is, and which roles they have. */
export function auditCustomer({ email, name, roles }: Customer): AuditedMembers {
  return { email, name, roles } satisfies Omit<Customer, 'siteId' | 'id' | 'createdAt' | 'updatedAt'>;
}

/** Whose session it is, and until when. */
export function auditSession({ customerId, expiresAt, revokedAt }: Session): AuditedMembers {
  return { customer: customerId, expires_at: auditTime(expiresAt), revoked_at: auditTime(revokedAt) };
}

/** What a token is for, and until when; `user` is the id of the user whose token it is. */
export function auditToken({ kind, name, userId, expiresAt, revokedAt }: Token): AuditedMembers {
  const times = { expires_at: auditTime(expiresAt), revoked_at: auditTime(revokedAt) };
  return { kind, name, ...(userId !== null && { user: userId }), ...times };
}

/** How people know a site. */
export function auditSite({ name }: Pick<Site, 'name'>): AuditedMembers {
  return { name };
}

/** Who a user is. A membership has the same members: its record belongs to a site, and names the user. */
export function auditUser({ email, name }: Pick<User, 'email' | 'name'>): AuditedMembers {
  return { email, name };
}

/** A time as records have it. */
export function auditTime(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

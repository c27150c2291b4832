// Checks the data of a customer: one refusal has all errors of an input (docs/contract.md §1, §7).
import { z } from 'zod';
import type { CustomerInput, CustomerPatch } from '../generated/graphql/types.ts';
import type { Customer } from '../generated/prisma/client.ts';
import { emailSchema, emailValue } from '../fields/email.ts';
import { isLongerThan, lineOfText, upTo } from '../fields/text.ts';
import { actorPrefixes, actorWords, isLongActorKey, maxActorNameLength } from '../rules/actors.ts';
import { memberPrefix } from '../rules/rights.ts';
import { parseSent, type Sent } from './sent.ts';
import { findInvisible } from '../rules/visibleText.ts';

/** The settable data of a customer, besides the id. */
export type CustomerData = Omit<Customer, 'siteId' | 'id' | 'createdAt' | 'updatedAt'>;

const maxNameLength = 255;
const maxRoles = 500;

const actorName = upTo(z.string(), maxActorNameLength)
  .min(1, 'must not be empty')
  .refine((name) => findInvisible(name) === null, { error: ({ input }) => findInvisible(String(input)) ?? '' });

/** The beginnings of owners that are no customers: members, and customers who were erased. */
const ownerPrefixes = [memberPrefix, 'erased:'];

// Access lists name customers by their ids: an id must not look like another one.
const customerId = actorName
  .refine(
    (id) => !isLongActorKey(id) && !ownerPrefixes.some((prefix) => id.startsWith(prefix)),
    `must not be ${listQuoted(actorWords)}, and must not begin with ${listQuoted([...actorPrefixes, ...ownerPrefixes])}`,
  )
  // A text that is too long is not normalized, which would take time.
  .refine(
    (id) => isLongerThan(id, maxActorNameLength) || id === id.normalize('NFC'),
    'is not in Unicode normalization form C',
  );

/** The name of a role of a customer. */
export const customerRoleInput = actorName;

/** The roles of a customer, without duplicates. */
export const rolesInput = z
  .array(actorName)
  .max(maxRoles, `must have at most ${maxRoles} roles`)
  .transform((roles) => [...new Set(roles)]);

const customerMembers = {
  email: emailValue.nullish(),
  name: upTo(lineOfText(), maxNameLength).nullish(),
  roles: rolesInput.nullish(),
} satisfies Record<keyof CustomerPatch, z.ZodType>;

/** The schema of a new customer. */
export const newCustomerInput = z.object({ id: customerId.nullish(), ...customerMembers });
/** The schema of a patch of a customer. */
export const customerPatchInput = z.object(customerMembers);

/** The members that the service sets. */
export const timeMembers = ['created_at', 'updated_at'];

/**
 * Checks a new customer's data. The id is null if the caller leaves it to the service.
 * @throws validation_failed with every error of the input
 */
export function checkNewCustomer(sent: Sent<CustomerInput>): CustomerData & { id: string | null } {
  const { id, email, name, roles } = parseSent(newCustomerInput, sent, { readOnly: timeMembers });
  return { id: id ?? null, email: email ?? null, name: name ?? null, roles: roles ?? [] };
}

/**
 * Checks the data that a patch sets; null clears. The current email address may be sent back, even if it was stored
 * under an earlier rule.
 * @throws validation_failed with every error of the input
 */
export function checkCustomerPatch(sent: Sent<CustomerPatch>, before: Pick<Customer, 'email'>): Partial<CustomerData> {
  const schema = customerPatchInput.extend({ email: emailSchema(before.email).nullish() });
  const { email, name, roles } = parseSent(schema, sent, { readOnly: ['id', ...timeMembers] });
  // A member that is missing here does not compile.
  const set: { readonly [Name in keyof CustomerData]: CustomerData[Name] | undefined } = {
    email,
    name,
    roles: roles === null ? [] : roles,
  };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

function listQuoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(' or ');
}

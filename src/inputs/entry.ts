// An entry's payload, checked: every error of it in one refusal (contract §3, §4, §5).
import { z } from 'zod';
import { failValidation, type FieldError } from '../errors.ts';
import type { EntryAcl } from '../rules/access.ts';
import type { Status } from '../rules/publication.ts';
import { isSlug } from '../rules/slug.ts';
import { aclInput } from './acl.ts';
import { issuesOf } from './check.ts';
import { hasFiniteNumbers } from './json.ts';
import { timeInput } from './time.ts';
import { isFixedField, type Payload } from './payload.ts';

/** What a write asks for: absent members stay, a null field is cleared. */
export interface EntryChange {
  /** null: made anew from the title. */
  readonly slug?: string | null;
  readonly status?: Status;
  readonly publishAt?: Date | null;
  readonly acl?: EntryAcl;
  readonly owner?: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

const slug = z
  .string()
  .refine(isSlug, 'lower-case letters and digits, joined by single "-", at most 200; not a UUID, "count" or "bulk"')
  .nullable();

/** The members that a master token alone sets. */
const masterMembers = z.object({
  _status: z.enum(['draft', 'scheduled', 'published']).optional(),
  _publish_at: timeInput.nullable().optional(),
  _acl: aclInput.optional(),
  _owner: z.string().max(255, 'has at most 255 characters').nullable().optional(),
});

/**
 * The change that a payload asks for.
 * @param byMaster whether a master token sends it: the members that only a master sets are ignored otherwise, so that
 * a client can send back what it got
 * @throws validation_failed with every error of the payload
 */
export function checkEntry({ fixed, fields }: Payload, { byMaster }: { byMaster: boolean }): EntryChange {
  const errors = fieldErrors(fields);
  const named = z.object({ slug: slug.optional() }).safeParse(fixed);
  const mastered = masterMembers.safeParse(byMaster ? fixed : {});
  errors.push(...issuesOf(named), ...issuesOf(mastered));
  if (errors.length > 0 || !named.success || !mastered.success) failValidation(errors);
  const { _status: status, _publish_at: publishAt, _acl: acl, _owner: owner } = mastered.data;
  return {
    ...(named.data.slug !== undefined && { slug: named.data.slug }),
    ...(status !== undefined && { status }),
    ...(publishAt !== undefined && { publishAt }),
    ...(acl !== undefined && { acl }),
    ...(owner !== undefined && { owner }),
    // As JSON will have them when they are read back, so that an unchanged value is found to be that.
    fields: JSON.parse(JSON.stringify(fields)) as EntryChange['fields'],
  };
}

/** A channel without declared fields takes any member whose name is its own to give. */
function fieldErrors(fields: Payload['fields']): FieldError[] {
  return Object.entries(fields).flatMap(([field, value]): FieldError[] => {
    if (field === '' || field.startsWith('_') || isFixedField(field)) {
      return [{ field, code: 'unknown_field', message: 'is no field of an entry' }];
    }
    if (field.length > 255) return [{ field, code: 'unknown_field', message: 'has a name of over 255 characters' }];
    if (!hasFiniteNumbers(value)) return [{ field, code: 'invalid', message: 'holds a number too large to store' }];
    return [];
  });
}

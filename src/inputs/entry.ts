// An entry's payload, checked: every error of it in one refusal (docs/contract.md §3, §4, §5).
import { z } from 'zod';
import { failValidation, type FieldError } from '../errors.ts';
import type { DeclaredField } from '../fields/compiled.ts';
import type { EntryAcl } from '../rules/access.ts';
import type { Status } from '../rules/publication.ts';
import { isSlug, slugRule } from '../rules/slug.ts';
import { aclInput } from './acl.ts';
import { listErrors } from './check.ts';
import { hasFiniteNumbers } from './json.ts';
import { timeInput } from '../fields/time.ts';
import { isFixedField, type Payload } from './payload.ts';
import type { ResolvedReference } from './references.ts';

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

const slug = z.string().refine(isSlug, slugRule).nullable();

/** The members that a master token alone sets. */
const masterMembers = z.object({
  _status: z.enum(['draft', 'scheduled', 'published']).optional(),
  _publish_at: timeInput.nullable().optional(),
  _acl: aclInput.optional(),
  _owner: z.string().max(255, 'has at most 255 characters').nullable().optional(),
});

/** How a payload is written. */
export interface Writing {
  /** The channel's declared fields; empty where it takes any member. */
  readonly declared: ReadonlyMap<string, DeclaredField>;
  /** Whether it makes a new entry, which gets the defaults of what it does not send. */
  readonly isNew: boolean;
  /**
   * Whether a master token sends it: the members that only a master sets are ignored otherwise, so that a client can send
   * back what it got.
   */
  readonly byMaster: boolean;
  /** What became of the references that it sends, by field. */
  readonly references: ReadonlyMap<string, ResolvedReference>;
}

/**
 * The change that a payload asks for.
 * @throws validation_failed with every error of the payload
 */
export function checkEntry({ fixed, fields }: Payload, writing: Writing): EntryChange {
  const { values, errors } = writing.declared.size === 0 ? freeFields(fields) : declaredFields(fields, writing);
  const named = z.object({ slug: slug.optional() }).safeParse(fixed);
  const mastered = masterMembers.safeParse(writing.byMaster ? fixed : {});
  errors.push(...listErrors(named), ...listErrors(mastered));
  if (errors.length > 0 || !named.success || !mastered.success) failValidation(errors);
  const { _status: status, _publish_at: publishAt, _acl: acl, _owner: owner } = mastered.data;
  return {
    ...(named.data.slug !== undefined && { slug: named.data.slug }),
    ...(status !== undefined && { status }),
    ...(publishAt !== undefined && { publishAt }),
    ...(acl !== undefined && { acl }),
    ...(owner !== undefined && { owner }),
    // As JSON will have them when they are read back, so that an unchanged value is found to be that.
    fields: JSON.parse(JSON.stringify(values)) as EntryChange['fields'],
  };
}

/** Custom fields as they are to be stored, and what is wrong with them. */
interface Checked {
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: FieldError[];
}

/** A channel without declared fields takes any member whose name is its own to give. */
function freeFields(fields: Payload['fields']): Checked {
  const errors = Object.entries(fields).flatMap(([field, value]): FieldError[] => {
    if (field === '' || field.startsWith('_') || isFixedField(field)) {
      return [{ field, code: 'unknown_field', message: 'is no field of an entry' }];
    }
    if (field.length > 255) return [{ field, code: 'unknown_field', message: 'has a name of over 255 characters' }];
    return numberErrors(field, value);
  });
  return { values: fields, errors };
}

/** A channel with declared fields takes these alone, with the values that they allow. */
function declaredFields(fields: Payload['fields'], { declared, isNew, references }: Writing): Checked {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const field of Object.keys(fields)) {
    if (!declared.has(field)) errors.push({ field, code: 'unknown_field', message: 'is no field of the channel' });
  }
  for (const [field, { definition, value: schema }] of declared) {
    const isSent = Object.hasOwn(fields, field);
    if (!isSent && !isNew) continue;
    const resolved = references.get(field);
    if (resolved && 'error' in resolved) {
      errors.push({ field, code: 'invalid', message: resolved.error });
      continue;
    }
    const value = resolved ? resolved.value : isSent ? fields[field] : definition.default;
    if (value === null || value === undefined) {
      if (definition.required) errors.push({ field, code: 'required', message: 'must have a value' });
      values[field] = null;
      continue;
    }
    const unstorable = numberErrors(field, value);
    const result = schema.safeParse(value);
    if (unstorable.length === 0 && result.success) values[field] = result.data;
    // One is enough to go by, and says more than a list of what follows from it.
    else errors.push(...[...unstorable, ...listErrors(result, field)].slice(0, 1));
  }
  return { values, errors };
}

function numberErrors(field: string, value: unknown): FieldError[] {
  return hasFiniteNumbers(value) ? [] : [{ field, code: 'invalid', message: 'holds a number too large to store' }];
}

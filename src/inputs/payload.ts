// An entry's payload: its two spellings, REST's flat body and GraphQL's EntryInput, are converted to one form; and
// checked, after access was decided, with every error in one refusal (docs/contract.md §3 to §5).
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isFixedField, members, settableMembers, type RestName, type SettableMember } from '../entries/members.ts';
import { failValidation, type FieldError, fail } from '../base/errors.ts';
import type { CompiledFields, SentField } from '../fields/compiled.ts';
import type { TakeWork } from '../fields/patterns.ts';
import { isLongerThan, upTo } from '../fields/text.ts';
import { timeInput } from '../fields/time.ts';
import { emptyValue } from '../fields/types.ts';
import { checkValue } from '../fields/values.ts';
import { maxActorNameLength } from '../rules/actors.ts';
import type { SetBy } from '../rules/callers.ts';
import { allStatuses, changedPublication, isComplete, type Publication } from '../rules/publication.ts';
import { isSlug, slugRule } from '../rules/names.ts';
import type { EntryInput, PublicationInput } from '../generated/graphql/types.ts';
import { aclInput } from './acl.ts';
import { listErrors, unknownField } from './check.ts';
import { parseIdentity, type KeptIdentity, type SentIdentity } from './identity.ts';
import { hasFiniteNumbers, isObject, unstorableNumber } from './json.ts';
import type { ResolvedReference } from './references.ts';

/**
 * The payload of a write: a body in REST, an input in GraphQL. With `keptId` a new entry gets this id, and the times that
 * the body has. With `merges` the body is a merge patch (RFC 7396).
 */
export type PayloadArguments =
  | { readonly body: unknown; readonly keptId?: string | undefined; readonly merges?: boolean }
  | { readonly input: EntryInput };

/** A payload under REST's names: the members that were sent, unchecked. */
export interface Payload {
  readonly fixed: Readonly<Partial<Record<RestName<SettableMember>, unknown>>>;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The id and times that a new entry keeps; null for new ones. */
  readonly identity: SentIdentity | null;
  /** Whether fixed members and custom fields are members of one object, as in a body of REST. */
  readonly isFlat: boolean;
  /** Whether its objects are merged into those of the entry, where null removes a member. */
  readonly merges: boolean;
}

/** The arguments of publishing: the body of a request of REST, or the input of GraphQL; either may be left out. */
export type PublicationArguments = { readonly body: unknown } | { readonly publication?: PublicationInput | null };

/** A payload that changes nothing. */
export const emptyPayload: Payload = { fixed: {}, fields: {}, identity: null, isFlat: true, merges: false };

/** Converts the payload of either door. @throws bad_request if the body is not a JSON object */
export function parsePayload(args: PayloadArguments): Payload {
  if (!('body' in args)) return readEntryInput(args.input);
  if (!isObject(args.body)) fail('bad_request', 'The body must be a JSON object.');
  return readRestBody(args.body, args);
}

/** A client may send back every member of an answer: members that callers cannot set are ignored. */
function readRestBody(
  body: Readonly<Record<string, unknown>>,
  { keptId: id, merges = false }: { readonly keptId?: string | undefined; readonly merges?: boolean },
): Payload {
  const { created_at, updated_at } = body;
  return {
    fixed: pickSettable((name) => (name === 'acl' ? aclEntries(body[members.acl.rest]) : body[members[name].rest])),
    fields: Object.fromEntries(Object.entries(body).filter(([name]) => !isFixedField(name))),
    identity: id === undefined ? null : { id, created_at, updated_at },
    isFlat: true,
    merges,
  };
}

function readEntryInput(input: EntryInput): Payload {
  return {
    fixed: pickSettable((name) => (name === 'acl' ? ruleEntries(input.acl) : input[name])),
    fields: input.fields ?? {},
    identity: null,
    isFlat: false,
    merges: false,
  };
}

/** Picks the settable members of a payload. @param read reads a member of the payload; undefined if it is absent */
function pickSettable(read: (name: SettableMember) => unknown): Payload['fixed'] {
  const values = settableMembers.map((name) => [members[name].rest, read(name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/**
 * Converts REST's access list to pairs of actor key and rule, in their order. A value that is not an object is refused
 * later.
 */
function aclEntries(acl: unknown): unknown {
  if (isObject(acl)) return Object.entries(acl);
  return Array.isArray(acl) ? 'an array' : acl;
}

/** Converts GraphQL's access list to the same form. */
function ruleEntries(acl: EntryInput['acl']): unknown {
  return (
    acl?.map(({ actor, ...rule }) => [
      actor,
      Object.fromEntries(Object.entries(rule).filter(([, allowed]) => typeof allowed === 'boolean')),
    ]) ?? acl
  );
}

/** The schemas of the values that callers send for fixed members. */
export const memberSchemas = {
  /** Null derives the slug from the title. */
  slug: z.string().refine(isSlug, slugRule).nullable(),
  _status: z.enum(allStatuses),
  _publish_at: timeInput.nullable(),
  _acl: aclInput,
  _owner: upTo(z.string(), maxActorNameLength).nullable(),
} satisfies Record<RestName<SettableMember>, z.ZodType>;

type MemberChange = {
  readonly [Name in SettableMember]?: z.output<(typeof memberSchemas)[RestName<Name>]>;
};

/** The change of a write: absent members and fields keep their values, a null field is cleared. */
export type EntryChange = MemberChange & {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The id and times that a new entry keeps; absent for new ones. */
  readonly identity?: KeptIdentity;
};

/** The dependencies of checking a payload. */
export interface Writing {
  /** The channel's fields as they exist for the caller, and all of them: a new entry gets the defaults of all. */
  readonly fields: Pick<CompiledFields, 'isFree' | 'sent'>;
  readonly whole: Pick<CompiledFields, 'byName'>;
  /** Whether the entry is the caller's own. */
  readonly isOwn: boolean;
  /**
   * The values that the caller reads of the entry: a field that it may not write may be sent with the value that it has. Null
   * where it may not read the entry, or there is none yet.
   */
  readonly shown: Readonly<Record<string, unknown>> | null;
  /** Whether a new entry is made: absent fields then get their defaults. */
  readonly isNew: boolean;
  /** The members that the caller may set. Others are ignored, so that clients can send back an entry. */
  readonly mayBeSet: ReadonlySet<SetBy>;
  /** The publication state before the write; null if it is not known, so that the state after it is not checked. */
  readonly publication: Publication | null;
  /** The resolved references of the payload, by field. */
  readonly references: ReadonlyMap<string, ResolvedReference>;
  /** Takes the work of the fields' patterns. */
  readonly takeWork: TakeWork;
  /** The time of the request. */
  readonly now: Date;
}

/** Checks a payload, and makes the change from it. @throws validation_failed with every error of the payload */
export function parseChange({ fixed, fields, identity: sent, isFlat }: Payload, writing: Writing): EntryChange {
  // Computed only for an error: most payloads have none.
  let names: readonly string[] | undefined;
  const listKnownNames = (): readonly string[] =>
    (names ??= [...writing.fields.sent.keys(), ...(isFlat ? settableNames(writing) : [])]);
  const custom = writing.fields.isFree
    ? checkFreeFields(fields, listKnownNames)
    : checkDeclaredFields(fields, listKnownNames, writing);
  const { change, errors } = checkMembers(fixed, writing);
  const { identity, errors: misfits } = sent ? parseIdentity(sent, writing.now) : { identity: null, errors: [] };
  const all = [...custom.errors, ...errors, ...misfits];
  if (all.length > 0) failValidation(all);
  // Normalizes the values to the form in which they are read back, so that an unchanged value compares equal.
  const normalized = JSON.parse(JSON.stringify(custom.values)) as EntryChange['fields'];
  return { fields: normalized, ...change, ...(identity && { identity }) };
}

/** Checks the fixed members that the caller may set. */
function checkMembers(
  fixed: Payload['fixed'],
  { mayBeSet, publication }: Writing,
): { change: MemberChange; errors: FieldError[] } {
  const entries: [SettableMember, unknown][] = [];
  const errors: FieldError[] = [];
  for (const name of settableMembers) {
    const { rest, setBy } = members[name];
    if (!Object.hasOwn(fixed, rest) || !mayBeSet.has(setBy)) continue;
    const result = memberSchemas[rest].safeParse(fixed[rest]);
    if (result.success) entries.push([name, result.data]);
    else errors.push(...listErrors(result, rest));
  }
  const change = Object.fromEntries(entries) as MemberChange;
  const isRefused = errors.some(({ field }) => field === members.status.rest || field === members.publishAt.rest);
  if (!isRefused && publication !== null && !isComplete(changedPublication(publication, change))) {
    errors.push({ field: members.publishAt.rest, code: 'required', message: 'a scheduled entry needs a time' });
  }
  return { change, errors };
}

/** The valid ones of the members that control access, as a payload sends them. */
export function readAccess({ fixed }: Payload): Pick<MemberChange, 'acl' | 'owner'> {
  const acl = memberSchemas._acl.safeParse(fixed._acl);
  const owner = memberSchemas._owner.safeParse(fixed._owner);
  return { ...(acl.success && { acl: acl.data }), ...(owner.success && { owner: owner.data }) };
}

/** The custom fields to store, and their errors. */
interface CheckedFields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: FieldError[];
}

/** Lists the fixed members that the caller may set, under their names of REST. */
function settableNames({ mayBeSet }: Writing): string[] {
  return settableMembers.map((name) => members[name]).flatMap(({ rest, setBy }) => (mayBeSet.has(setBy) ? [rest] : []));
}

/** A channel without declared fields accepts any member whose name is not reserved. */
function checkFreeFields(fields: Payload['fields'], listKnownNames: () => readonly string[]): CheckedFields {
  const errors: FieldError[] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (field === '' || field.startsWith('_') || isFixedField(field)) {
      errors.push(unknownField(field, 'is not a field of an entry', listKnownNames(), errors.length));
    } else if (isLongerThan(field, 255)) {
      errors.push({ field, code: 'unknown_field', message: 'must have a name of at most 255 characters' });
    } else errors.push(...numberErrors(field, value));
  }
  return { values: fields, errors };
}

/** A channel with declared fields accepts no others, and only the values that they allow. */
function checkDeclaredFields(
  fields: Payload['fields'],
  listKnownNames: () => readonly string[],
  writing: Writing,
): CheckedFields {
  const { fields: known, whole, isNew, references, takeWork } = writing;
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const field of Object.keys(fields)) {
    if (!known.sent.has(field))
      errors.push(unknownField(field, 'is not a field of the channel', listKnownNames(), errors.length));
  }
  for (const [field, declaration] of whole.byName) {
    const { definition } = declaration;
    const access = known.sent.get(field);
    const effect =
      access !== undefined && Object.hasOwn(fields, field) ? decideSent(fields[field], access, writing) : 'none';
    const isSent = effect === 'set';
    if (effect === 'refused') errors.push(readOnlyError(field));
    if (effect === 'refused' || (!isSent && !isNew)) continue;
    const resolved = isSent ? references.get(field) : undefined;
    if (resolved && 'error' in resolved) {
      errors.push({ field, code: 'invalid', message: resolved.error });
      continue;
    }
    const sentOrDefault = resolved ? resolved.value : isSent ? fields[field] : definition.default;
    // An optional list without a value reads as an empty list, which can be sent back.
    const isEmpty =
      Array.isArray(sentOrDefault) && sentOrDefault.length === 0 && Array.isArray(emptyValue(definition.type));
    const value = isEmpty && !definition.required && !resolved ? null : sentOrDefault;
    if (value === null || value === undefined) {
      // A list of references may be empty even in a required field: writers who see none of its entries read it as
      // empty.
      if (definition.required && !resolved) errors.push({ field, code: 'required', message: 'must have a value' });
      values[field] = null;
      continue;
    }
    const unstorable = numberErrors(field, value);
    const result = checkValue(declaration, value, takeWork);
    if (unstorable.length === 0 && result.success) values[field] = result.data;
    // Only the first error is reported; the others follow from it.
    else errors.push(...[...unstorable, ...listErrors(result, field)].slice(0, 1));
  }
  return { values, errors };
}

/** The effect of a field of a payload: it sets the value, changes nothing, or is refused. */
type SentEffect = 'set' | 'none' | 'refused';

/**
 * Decides what a field of a payload does by the rules of the field. Of a field that the caller may not read, no answer depends
 * on the value that there is; a field that it may not write changes nothing where it has the value that the caller reads.
 */
function decideSent(value: unknown, { declaration, isReadable, writable }: SentField, writing: Writing): SentEffect {
  if (!isReadable && isNone(value)) return 'none';
  if (writable === 'all' || (writable === 'own' && writing.isOwn)) return 'set';
  return isReadable && isAsRead(value, declaration, writing) ? 'none' : 'refused';
}

/** Whether a payload has the value that the caller reads of a field; of a new entry, none or the default. */
function isAsRead(
  value: unknown,
  declaration: SentField['declaration'],
  { isNew, shown, references, takeWork }: Writing,
): boolean {
  const { name, default: initial } = declaration.definition;
  if (isNew && isNone(value)) return true;
  // A caller who may not read the entry learns nothing of it.
  if (!isNew && shown === null) return isNone(value);
  const held = isNew ? initial : shown !== null && Object.hasOwn(shown, name) ? shown[name] : null;
  const resolved = references.get(name);
  if (resolved !== undefined) return 'value' in resolved && isSame(resolved.value, held);
  if (isSame(value, held)) return true;
  if (isNone(value) || !hasFiniteNumbers(value)) return false;
  const result = checkValue(declaration, value, takeWork);
  return result.success && isSame(JSON.parse(JSON.stringify(result.data)), held);
}

/** Whether two values are equal; no value reads as null, or as an empty list. */
function isSame(one: unknown, other: unknown): boolean {
  return isNone(one) ? isNone(other) : isDeepStrictEqual(one, other);
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function readOnlyError(field: string): FieldError {
  return { field, code: 'read_only', message: 'may not be changed by this caller' };
}

function numberErrors(field: string, value: unknown): FieldError[] {
  return hasFiniteNumbers(value) ? [] : [{ field, code: 'out_of_range', message: unstorableNumber }];
}

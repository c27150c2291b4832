// An entry's payload: the two spellings of it, REST's flat body and GraphQL's EntryInput, brought into one; and checked, once
// access was decided, with every error of it in one refusal (docs/contract.md §3 to §5).
import { z } from 'zod';
import { isFixedField, members, settableMembers, type RestName, type SettableMember } from '../entries/members.ts';
import { failValidation, type FieldError, fail } from '../base/errors.ts';
import type { DeclaredField } from '../fields/compiled.ts';
import type { TakeWork } from '../fields/patterns.ts';
import { isLongerThan, upTo } from '../fields/text.ts';
import { timeInput } from '../fields/time.ts';
import { emptyValue } from '../fields/types.ts';
import { checkValue } from '../fields/values.ts';
import { maxActorNameLength } from '../rules/actors.ts';
import { allStatuses, changedPublication, isComplete, type Publication } from '../rules/publication.ts';
import { isSlug, slugRule } from '../rules/names.ts';
import type { EntryInput } from '../generated/graphql/types.ts';
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

/** A payload by REST's names: the members that were sent, not checked yet. */
export interface Payload {
  readonly fixed: Readonly<Partial<Record<RestName<SettableMember>, unknown>>>;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The id and times that a new entry is to keep; null: it gets new ones. */
  readonly identity: SentIdentity | null;
  /** Whether fixed members and custom fields stand side by side, as in a body of REST. */
  readonly isFlat: boolean;
  /** Whether its objects are merged into those of the entry, and null removes a member of one. */
  readonly merges: boolean;
}

/** The payload of either door. @throws bad_request where the body is not a JSON object */
export function parsePayload(args: PayloadArguments): Payload {
  if (!('body' in args)) return readEntryInput(args.input);
  if (!isObject(args.body)) fail('bad_request', 'The body must be a JSON object.');
  return readRestBody(args.body, args);
}

/** A client may send back every member of an answer: those that callers cannot set are ignored. */
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

/** The settable members that a payload sends. @param read gives what is sent of a member; undefined where it is absent */
function pickSettable(read: (name: SettableMember) => unknown): Payload['fixed'] {
  const sent = settableMembers.map((name) => [members[name].rest, read(name)] as const);
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
}

/** REST's access list as pairs of actor key and rule, in their order. A value that is not an object is refused later. */
function aclEntries(acl: unknown): unknown {
  if (isObject(acl)) return Object.entries(acl);
  return Array.isArray(acl) ? 'an array' : acl;
}

/** GraphQL's access list in the same form. */
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
  /** null: made from the title. */
  slug: z.string().refine(isSlug, slugRule).nullable(),
  _status: z.enum(allStatuses),
  _publish_at: timeInput.nullable(),
  _acl: aclInput,
  _owner: upTo(z.string(), maxActorNameLength).nullable(),
} satisfies Record<RestName<SettableMember>, z.ZodType>;

type MemberChange = {
  readonly [Name in SettableMember]?: z.output<(typeof memberSchemas)[RestName<Name>]>;
};

/** What a write asks for: members and fields that are absent stay as they are, a null field is cleared. */
export type EntryChange = MemberChange & {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The id and times that a new entry keeps; absent: it gets new ones. */
  readonly identity?: KeptIdentity;
};

/** What the check of a payload depends on. */
export interface Writing {
  /** The channel's declared fields; empty where it takes any member. */
  readonly declared: ReadonlyMap<string, DeclaredField>;
  /** Whether the payload makes a new entry, which gets the defaults of the fields that are not sent. */
  readonly isNew: boolean;
  /**
   * Whether a master token sends it. From others, members that only masters set are ignored, so that clients can send back
   * what they read.
   */
  readonly byMaster: boolean;
  /** The publication state before the write; null where it is not known, so that the state after it is not checked. */
  readonly publication: Publication | null;
  /** By field: what the references in the payload were resolved to. */
  readonly references: ReadonlyMap<string, ResolvedReference>;
  /** Takes the work of the fields' patterns. */
  readonly takeWork: TakeWork;
  /** When the request came. */
  readonly now: Date;
}

/**
 * Parses the change that a payload asks for.
 * @throws validation_failed with every error of the payload
 */
export function parseChange({ fixed, fields, identity: sent, isFlat }: Payload, writing: Writing): EntryChange {
  // Only an error tells of them: most payloads have none.
  let names: readonly string[] | undefined;
  const known = (): readonly string[] =>
    (names ??= [...writing.declared.keys(), ...(isFlat ? settableNames(writing) : [])]);
  const custom =
    writing.declared.size === 0 ? checkFreeFields(fields, known) : checkDeclaredFields(fields, known, writing);
  const { change, errors } = checkMembers(fixed, writing);
  const { identity, errors: misfits } = sent ? parseIdentity(sent, writing.now) : { identity: null, errors: [] };
  const all = [...custom.errors, ...errors, ...misfits];
  if (all.length > 0) failValidation(all);
  // In the form in which JSON reads them back, so that an unchanged value is found to be equal.
  const stored = JSON.parse(JSON.stringify(custom.values)) as EntryChange['fields'];
  return { fields: stored, ...change, ...(identity && { identity }) };
}

/** The fixed members that the caller may set, and their errors. */
function checkMembers(
  fixed: Payload['fixed'],
  { byMaster, publication }: Writing,
): { change: MemberChange; errors: FieldError[] } {
  const entries: [SettableMember, unknown][] = [];
  const errors: FieldError[] = [];
  for (const name of settableMembers) {
    const { rest, setBy } = members[name];
    if (!Object.hasOwn(fixed, rest) || (setBy === 'masters' && !byMaster)) continue;
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

/** Custom fields as they are to be stored, and their errors. */
interface CheckedFields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: FieldError[];
}

/** The fixed members that the caller may set, by the names of REST. */
function settableNames({ byMaster }: Writing): string[] {
  return settableMembers
    .map((name) => members[name])
    .flatMap(({ rest, setBy }) => (byMaster || setBy === 'writers' ? [rest] : []));
}

/** A channel that declares no fields takes any member whose name is not reserved. */
function checkFreeFields(fields: Payload['fields'], known: () => readonly string[]): CheckedFields {
  const errors: FieldError[] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (field === '' || field.startsWith('_') || isFixedField(field)) {
      errors.push(unknownField(field, 'is not a field of an entry', known(), errors.length));
    } else if (isLongerThan(field, 255)) {
      errors.push({ field, code: 'unknown_field', message: 'must have a name of at most 255 characters' });
    } else errors.push(...numberErrors(field, value));
  }
  return { values: fields, errors };
}

/** A channel that declares fields takes no others, and only the values that they allow. */
function checkDeclaredFields(
  fields: Payload['fields'],
  known: () => readonly string[],
  { declared, isNew, references, takeWork }: Writing,
): CheckedFields {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const field of Object.keys(fields)) {
    if (!declared.has(field)) errors.push(unknownField(field, 'is not a field of the channel', known(), errors.length));
  }
  for (const [field, declaration] of declared) {
    const { definition } = declaration;
    const isSent = Object.hasOwn(fields, field);
    if (!isSent && !isNew) continue;
    const resolved = references.get(field);
    if (resolved && 'error' in resolved) {
      errors.push({ field, code: 'invalid', message: resolved.error });
      continue;
    }
    const sent = resolved ? resolved.value : isSent ? fields[field] : definition.default;
    // An optional list without a value reads as an empty one, which can be sent back.
    const isEmpty = Array.isArray(sent) && sent.length === 0 && Array.isArray(emptyValue(definition.type));
    const value = isEmpty && !definition.required && !resolved ? null : sent;
    if (value === null || value === undefined) {
      // A list of references may be empty even in a required field: it is one to writers who see none of its targets.
      if (definition.required && !resolved) errors.push({ field, code: 'required', message: 'must have a value' });
      values[field] = null;
      continue;
    }
    const unstorable = numberErrors(field, value);
    const result = checkValue(declaration, value, takeWork);
    if (unstorable.length === 0 && result.success) values[field] = result.data;
    // The first error says more than a list of those that follow from it.
    else errors.push(...[...unstorable, ...listErrors(result, field)].slice(0, 1));
  }
  return { values, errors };
}

function numberErrors(field: string, value: unknown): FieldError[] {
  return hasFiniteNumbers(value) ? [] : [{ field, code: 'out_of_range', message: unstorableNumber }];
}

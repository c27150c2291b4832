// The two spellings of an entry's payload, REST's flat body and GraphQL's EntryInput, made one. Nothing is judged here:
// members stay unknown until entry.ts checks them, after access was decided.
import { fail } from '../errors.ts';
import type { EntryInput } from '../generated/graphql/types.ts';
import { isObject } from './json.ts';

/** The payload of a write: a body in REST, an input in GraphQL. */
export type PayloadArguments = { readonly body: unknown } | { readonly input: EntryInput };

/** A payload by REST's names: only the members that were sent, still unchecked. */
export interface Payload {
  readonly fixed: Readonly<Partial<Record<FixedMember, unknown>>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type FixedMember = 'slug' | '_status' | '_publish_at' | '_acl' | '_owner';

/** Members of an answer that a REST payload may send back, and that mean nothing there. */
const readOnly = new Set(['id', 'url', 'short_id', 'channel', 'created_at', 'updated_at', 'title_field_value']);
const writable: ReadonlySet<string> = new Set<FixedMember>(['slug', '_status', '_publish_at', '_acl', '_owner']);

/** Whether a name is an entry's own, so that no custom field can have it. */
export function isFixedField(name: string): boolean {
  return readOnly.has(name) || writable.has(name);
}

/** The payload of either door. @throws bad_request where the body is not a JSON object */
export function parsePayload(args: PayloadArguments): Payload {
  if (!('body' in args)) return fromGraphql(args.input);
  if (!isObject(args.body)) fail('bad_request', 'The body must be a JSON object.');
  return fromRest(args.body);
}

function fromRest(members: Readonly<Record<string, unknown>>): Payload {
  const entries = Object.entries(members).filter(([name]) => !readOnly.has(name));
  const fixed = Object.fromEntries(entries.filter(([name]) => writable.has(name))) as Payload['fixed'];
  const { _acl: acl } = fixed;
  return {
    fixed: acl === undefined ? fixed : { ...fixed, _acl: rulesOf(acl) },
    fields: Object.fromEntries(entries.filter(([name]) => !writable.has(name))),
  };
}

/** An access list's rules in their order; what is no object stays what it is, and is refused later. */
function rulesOf(acl: unknown): unknown {
  if (isObject(acl)) return Object.entries(acl);
  return Array.isArray(acl) ? 'an array' : acl;
}

function fromGraphql(input: EntryInput): Payload {
  const fixed: Payload['fixed'] = {
    slug: input.slug,
    _status: input.status,
    _publish_at: input.publishAt,
    _owner: input.owner,
    _acl:
      input.acl?.map(({ actor, ...rule }) => [
        actor,
        Object.fromEntries(Object.entries(rule).filter(([, allowed]) => typeof allowed === 'boolean')),
      ]) ?? input.acl,
  };
  return {
    fixed: Object.fromEntries(Object.entries(fixed).filter(([, value]) => value !== undefined)),
    fields: input.fields ?? {},
  };
}

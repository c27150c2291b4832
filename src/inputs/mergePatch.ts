// Applies JSON merge patches (RFC 7396), and makes the payload of an entry from one (docs/contract.md §5.4).
import { fail } from '../base/errors.ts';
import type { Limits } from '../config/config.ts';
import { members } from '../entries/members.ts';
import { assertStorable, isObject } from './json.ts';
import type { Payload } from './payload.ts';

/**
 * Applies a patch as in RFC 7396 §2: objects are merged member by member, null removes a member, and every other value
 * replaces the current one.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, applyMergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** The values that a patch is merged into, as the entry shows them. */
export interface MergeTarget {
  readonly acl: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The fields whose values are not merged: an entry that is sent for a reference only names one. */
  readonly references: ReadonlyMap<string, unknown>;
}

const aclName = members.acl.rest;

/**
 * Whether a patch depends on the entry's current values: it sends an object, which is merged.
 * @param setsAcl whether the caller sets access lists; those of others are ignored
 */
export function dependsOnTarget({ merges, fixed, fields }: Payload, setsAcl: boolean): boolean {
  return merges && (Object.values(fields).some(isObject) || (setsAcl && Array.isArray(fixed[aclName])));
}

/**
 * Merges the objects of a patch into the values of an entry. The result is a payload like any other.
 * @throws bad_request, payload_too_large if the merged values could not be sent in one body
 */
export function mergePayload(payload: Payload, target: MergeTarget, limits: Pick<Limits, 'body' | 'json'>): Payload {
  const merged: [string, unknown][] = [];
  const fields = Object.entries(payload.fields).map(([name, value]): [string, unknown] => {
    if (!isObject(value) || target.references.has(name)) return [name, value];
    const result = applyMergePatch(Object.hasOwn(target.fields, name) ? target.fields[name] : undefined, value);
    merged.push([name, result]);
    return [name, result];
  });
  const acl = mergeAcl(payload.fixed[aclName], target.acl);
  const values = Object.fromEntries(merged);
  assertStorable(values, limits.json);
  if (Buffer.byteLength(JSON.stringify(values)) > limits.body) {
    fail('payload_too_large', `What the patch makes of the entry has more than ${limits.body} bytes.`);
  }
  const fixed = acl === undefined ? payload.fixed : { ...payload.fixed, [aclName]: acl };
  return { ...payload, fixed, fields: Object.fromEntries(fields) };
}

/** Merges an access list, which a payload has as pairs of actor key and rule. Other values replace it, and are checked later. */
function mergeAcl(patch: unknown, acl: unknown): unknown {
  if (!Array.isArray(patch)) return patch;
  return Object.entries(applyMergePatch(acl, Object.fromEntries(patch as [string, unknown][])) as object);
}

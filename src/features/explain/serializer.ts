// Writes explanations of access, and previews of changed access lists, in REST's JSON (docs/contract.md §10).
import type { Explanation, Decision } from '../../rules/access.ts';
import type { RuleDecision } from '../../rules/fieldRules.ts';
import type { Stub } from '../../serializers/entry.ts';

/** A decision with the text of the right that gave it, or that is missing; null if there is none, or the caller may not know it. */
export type ToldDecision = Omit<Decision, 'right'> & { readonly right: string | null };

/** Whether the rules of a field let an actor read and write it in an entry. */
export interface ToldFieldDecision {
  readonly name: string;
  readonly read: RuleDecision;
  readonly write: RuleDecision;
}

/** An explanation with the texts of its rights, and with the fields with rules that the caller may read. */
export type ToldExplanation = {
  readonly [Name in keyof Explanation]: Explanation[Name] extends Decision ? ToldDecision : Explanation[Name];
} & { readonly fields: readonly ToldFieldDecision[] };

/** Writes an explanation in JSON. */
export function restExplanation({ publication, fields, ...decisions }: ToldExplanation): string {
  const { visible, since, until } = publication;
  return JSON.stringify({
    read: restDecision(decisions.read),
    update: restDecision(decisions.update),
    delete: restDecision(decisions.delete),
    create: restDecision(decisions.create),
    publish: restDecision(decisions.publish),
    publication: { visible, since, until },
    fields: fields.map(({ name, read, write }) => ({ name, read: restRule(read), write: restRule(write) })),
  });
}

function restDecision({ allowed, decidedBy, key, scope, considered, right }: ToldDecision): object {
  return { allowed, decided_by: decidedBy, key, scope, considered, right };
}

function restRule({ allowed, key }: RuleDecision): object {
  return { allowed, key };
}

/** The rights of a caller. Those on an entry are null if none is named. */
export interface Rights {
  readonly create: boolean;
  /** Whether `_acl` and `_owner` are taken from the caller. */
  readonly access: boolean;
  readonly update: boolean | null;
  readonly delete: boolean | null;
  readonly publish: boolean | null;
}

/** Writes the rights of a caller in JSON. */
export function restRights({ create, access, update, delete: remove, publish }: Rights): string {
  return JSON.stringify({ create, access, update, delete: remove, publish });
}

/** Entries that a change of a channel affects, and their number. */
export interface NamedEntries {
  readonly count: number;
  /** At most 10 of those that the caller may see, newest first. */
  readonly entries: readonly Stub[];
}

/** The effect of a change of a channel on the entries that a viewer sees. */
export interface SightDifference {
  readonly appear: NamedEntries;
  readonly disappear: NamedEntries;
}

/** The effect of a change of a channel's access list (docs/contract.md §10.3). */
export interface AclPreview {
  /** Whether the counts are exact: only a part of a larger channel is checked. */
  readonly exact: boolean;
  readonly anonymous: SightDifference;
  readonly customer: SightDifference;
}

/** Writes a preview in JSON. */
export function restAclPreview({ exact, anonymous, customer }: AclPreview): string {
  return JSON.stringify({ exact, anonymous: restDifference(anonymous), customer: restDifference(customer) });
}

function restDifference({ appear, disappear }: SightDifference): object {
  return { appear: restNamedEntries(appear), disappear: restNamedEntries(disappear) };
}

function restNamedEntries({ count, entries }: NamedEntries): object {
  return {
    count,
    entries: entries.map(({ id, channel, slug, title_field_value }) => ({ id, channel, slug, title_field_value })),
  };
}

// Writes explanations of access, and previews of changed access lists, as REST has them (docs/contract.md §10).
import type { Explanation, Decision } from '../../rules/access.ts';
import type { Stub } from '../../serializers/entry.ts';

/** An explanation as REST writes it, in JSON. */
export function restExplanation({ publication, ...decisions }: Explanation): string {
  const { visible, since, until } = publication;
  return JSON.stringify({
    read: restDecision(decisions.read),
    update: restDecision(decisions.update),
    delete: restDecision(decisions.delete),
    create: restDecision(decisions.create),
    publication: { visible, since, until },
  });
}

function restDecision({ allowed, decidedBy, key, scope, considered }: Decision): object {
  return { allowed, decided_by: decidedBy, key, scope, considered };
}

/** What a caller may do. `update` and `delete` are null where no entry is named. */
export interface Rights {
  readonly create: boolean;
  readonly update: boolean | null;
  readonly delete: boolean | null;
}

/** What a caller may do, as REST writes it, in JSON. */
export function restRights({ create, update, delete: remove }: Rights): string {
  return JSON.stringify({ create, update, delete: remove });
}

/** Entries of which a change of a channel makes something, and how many there are. */
export interface NamedEntries {
  readonly count: number;
  /** At most 10 of those that the caller may see, the newest first. */
  readonly entries: readonly Stub[];
}

/** What a change of a channel does to the sight of somebody. */
export interface SightDifference {
  readonly appear: NamedEntries;
  readonly disappear: NamedEntries;
}

/** What a change of a channel's access list would do (docs/contract.md §10.3). */
export interface AclPreview {
  /** Whether the counts are exact: a larger channel is looked at only in part. */
  readonly exact: boolean;
  readonly anonymous: SightDifference;
  readonly customer: SightDifference;
}

/** A preview as REST writes it, in JSON. */
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

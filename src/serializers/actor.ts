// Presents the author of a change (docs/contract.md §9.1, §13.6).
import type { AuditActorKind, StoredActor } from '../rules/author.ts';

/** The author of a change. A member is null if it does not apply. */
export interface PublicActor {
  readonly kind: AuditActorKind;
  readonly token: string | null;
  readonly user: string | null;
  readonly customer: string | null;
  readonly name: string | null;
}

/** Presents the author that is stored with a change; null for a change that has none. */
export function presentActor(stored: StoredActor | null): PublicActor | null {
  if (stored === null) return null;
  const { kind, token = null, user = null, customer = null, name = null } = stored;
  return { kind, token, user, customer, name };
}

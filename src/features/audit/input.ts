// Parses requests for the audit log, of both doors and the command line (docs/contract.md §13.6).
import type { AuditType } from '../../resolvers/auditRecords.ts';
import { enums } from '../../base/enums.ts';
import { fail } from '../../base/errors.ts';
import { timeInput } from '../../fields/time.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { readSize } from '../../inputs/lists/list.ts';

/** The arguments: texts of a URL, or GraphQL's arguments, whose types were checked. */
export interface AuditArguments {
  readonly actor?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly subject?: string | null | undefined;
  readonly since?: Date | string | null | undefined;
  readonly until?: Date | string | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** The filter of records; null members match all. */
export interface AuditFilter {
  /** The id of a token, a user or a customer, or the name of an operator. */
  readonly actor: string | null;
  readonly type: AuditType | null;
  readonly subject: string | null;
  /** The first moment, and the one after the last. */
  readonly since: Date | null;
  readonly until: Date | null;
}

export interface AuditListInput {
  readonly filter: AuditFilter;
  readonly size: number;
  /** A cursor; null for the first page. */
  readonly after: string | null;
}

/** The kinds of objects that records are about. */
export const auditTypes: readonly AuditType[] = Object.values(enums.AuditType);

/** @throws bad_request for a malformed type, time or size */
export function parseAudit({ actor, type, subject, since, until, first, after }: AuditArguments): AuditListInput {
  const filter = {
    actor: actor ?? null,
    type: readType(type ?? null),
    subject: subject ?? null,
    since: readMoment('since', since ?? null),
    until: readMoment('until', until ?? null),
  };
  return { filter, size: readSize(first), after: after ?? null };
}

function readType(type: string | null): AuditType | null {
  const knownType = type === null ? null : auditTypes.find((name) => name === type.toLowerCase());
  if (knownType !== undefined) return knownType;
  const hint = didYouMean(nearestName(String(type), auditTypes), '');
  fail('bad_request', `type can't be ${JSON.stringify(type)}: it is one of ${auditTypes.join(', ')}${hint}.`);
}

function readMoment(name: string, time: Date | string | null): Date | null {
  if (time === null) return null;
  const checked = timeInput.safeParse(typeof time === 'string' ? time : time.toISOString());
  return checked.success
    ? checked.data
    : fail('bad_request', `The time ${name} ${checked.error.issues[0]?.message ?? ''}.`);
}

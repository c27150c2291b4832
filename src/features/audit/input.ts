// Parses requests for the audit log, of both doors and the command line (docs/contract.md §13.6).
import type { AuditType } from '../../resolvers/auditRecords.ts';
import { enums } from '../../base/enums.ts';
import { fail } from '../../base/errors.ts';
import { timeInput } from '../../fields/time.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { readSize } from '../../inputs/lists/list.ts';

/** What is asked for: texts of a URL, or GraphQL's arguments, whose types are checked already. */
export interface AuditArguments {
  readonly actor?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly subject?: string | null | undefined;
  readonly since?: Date | string | null | undefined;
  readonly until?: Date | string | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** Which records are asked for; null: any. */
export interface AuditFilter {
  /** The id of a token, a user or a customer, or the name of an operator. */
  readonly actor: string | null;
  readonly type: AuditType | null;
  readonly subject: string | null;
  /** The first moment, and the one behind the last. */
  readonly since: Date | null;
  readonly until: Date | null;
}

export interface AuditListInput {
  readonly filter: AuditFilter;
  readonly size: number;
  /** A cursor; null: the first page. */
  readonly after: string | null;
}

/** What records can be about. */
export const auditTypes: readonly AuditType[] = Object.values(enums.AuditType);

/** @throws bad_request for a type, a time or a size that can't be understood */
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
  const known = type === null ? null : auditTypes.find((name) => name === type.toLowerCase());
  if (known !== undefined) return known;
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

// `entryway audit`: lists changes of management data and their actors, newest first.
import { Option, type Command } from 'commander';
import { auditTypes } from '../../features/audit/input.ts';
import { maxPageSize } from '../../inputs/lists/list.ts';
import { tableIn } from '../databaseName.ts';
import { momentOf } from '../expiry.ts';
import { asOperator } from '../operator/operator.ts';
import type { CallInput, CallResult } from '../operator/operatorCalls.ts';
import { timeText, type Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, tablesHelp } from '../operator/run.ts';
import { UsageError } from '../../../clients/cli/src/terminal/refusal.ts';
import { siteId } from '../../../clients/cli/src/service/ids.ts';

interface AuditOptions {
  readonly site?: string;
  readonly actor?: string;
  readonly type?: (typeof auditTypes)[number];
  readonly subject?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
}

type ListedRecord = CallResult<'listAudit'>['records'][number];

const maxRecords = 100_000;

const auditHelp = `
Records are kept for AUDIT_RETENTION days. Without --site the records of all sites are listed, and those that belong to no
site: of users, their tokens, and deleted sites. With --json each has the members that changed, before and after.
`;

export function define(command: Command): void {
  command
    .option('--site <id>', 'only what was changed in a site; it may be deleted')
    .option(
      '--actor <id>',
      'only changes by a token, user or customer, by its id, or by who ran a command, by their name',
    )
    .addOption(new Option('--type <type>', 'only changes of one kind of thing').choices(auditTypes))
    .option('--subject <id>', 'only changes of the thing with this id')
    .option('--since <when>', 'only changes since then: a time, or 24h or 7d ago')
    .option('--until <when>', 'only changes before then')
    .option('--limit <count>', `how many are listed at most, the newest: 1 to ${maxRecords}`, '100')
    .addHelpText('after', auditHelp + tablesHelp)
    .action(printing(list));
}

/** @throws {UsageError} if an option has an invalid value */
async function list(options: AuditOptions): Promise<Result> {
  const { limit, ...filter } = readOptions(options);
  return asOperator(async ({ call, where }) => {
    const records: ListedRecord[] = [];
    for (let after: string | null = null; records.length < limit;) {
      const first = Math.min(maxPageSize, limit - records.length);
      const page: CallResult<'listAudit'> = await call('listAudit', { ...filter, first, after });
      records.push(...page.records);
      after = page.next;
      if (after === null) break;
    }
    return {
      json: records.map(asDocument),
      text: tableIn(where, headings, records.map(asRow), `There are no such records in ${where}.`),
    };
  });
}

type Filter = Omit<CallInput<'listAudit'>, 'first' | 'after'>;

function readOptions({ site, since, until, limit, ...others }: AuditOptions): Filter & { readonly limit: number } {
  const now = new Date();
  const count = Number(limit);
  if (!/^\d+$/.test(limit) || count < 1 || count > maxRecords) {
    throw new UsageError(`--limit can't be "${limit}": give a whole number from 1 to ${maxRecords}.`);
  }
  return {
    ...others,
    ...(site !== undefined && { site: siteId(site) }),
    ...(since !== undefined && { since: momentOf('--since', since, now).toISOString() }),
    ...(until !== undefined && { until: momentOf('--until', until, now).toISOString() }),
    limit: count,
  };
}

function asDocument({ site, requestId, ...record }: ListedRecord): object {
  const { id, at, type, subject, action, actor, before, after, address } = record;
  return { id, at, site, type, subject, action, actor, before, after, request_id: requestId, address };
}

const headings = ['at', 'site', 'what', 'subject', 'by', 'changed'];

function asRow({ at, site, type, action, subject, actor, before, after }: ListedRecord): string[] {
  const by = [actor.kind, actor.name ?? actor.customer ?? actor.user ?? actor.token ?? ''].join(' ').trimEnd();
  const changed = before === null || after === null ? '' : Object.keys(after).join(' ');
  return [timeText(at, ''), site ?? '', `${type} ${action}`, subject, by, changed];
}

// The publication times between which a total is valid: time alone makes scheduled entries visible (docs/contract.md
// §4.1), without a write.
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { Predicate } from '../condition.ts';
import type { EntryMatch } from '../sql/expressions.ts';
import { channelEntries } from '../sql/predicate.ts';

/** A total, and the times between which it stays valid as long as nothing is written, in milliseconds since 1970. */
export interface TimedCount {
  readonly count: number;
  /** The last publication time at or before the time of the count; null if there is none. */
  readonly from: number | null;
  /** The next publication time after it; null if there is none. */
  readonly until: number | null;
}

/** Whether a count is valid at a time, or only before it, or after it. */
export function comparePeriod({ from, until }: TimedCount, time: number): 'earlier' | 'holds' | 'later' {
  if (until !== null && until <= time) return 'earlier';
  return from !== null && from > time ? 'later' : 'holds';
}

/**
 * Extends a statement that counts matches to return `from` and `until` of a TimedCount beside its `count`. Each time is
 * one look-up in the index of publication times. Nothing is looked up where time does not change the total: for
 * management, at the time of a preview, and in channels that are not publishable. The times of drafts count, too: they
 * only end a period early.
 */
export function withPeriod(match: EntryMatch, counting: Prisma.Sql): Prisma.Sql {
  const { viewer } = match;
  const isTimed = viewer.audience === 'public' && viewer.at === null;
  const channels = isTimed ? listChannels(match).filter(({ publishable }) => publishable) : [];
  if (channels.length === 0) return counting;
  const now = Prisma.sql`${viewer.now.toISOString()}::timestamptz`;
  const last = channels.map((each) => timeSql(each, Prisma.sql`e.publish_at <= ${now}`, Prisma.sql`DESC NULLS LAST`));
  const next = channels.map((each) => timeSql(each, Prisma.sql`e.publish_at > ${now}`, Prisma.sql`ASC NULLS FIRST`));
  return Prisma.sql`SELECT counted.count, ${milliseconds(Prisma.sql`greatest(${Prisma.join(last)})`)} AS "from",
    ${milliseconds(Prisma.sql`least(${Prisma.join(next)})`)} AS until FROM (${counting}) AS counted`;
}

/** Lists the channel of a list, and those whose entries its filter reads. */
function listChannels({ channel, predicate }: EntryMatch): Channel[] {
  const filtered = (operand: Predicate): Channel[] => {
    if ('and' in operand) return operand.and.flatMap(filtered);
    if ('or' in operand) return operand.or.flatMap(filtered);
    if ('not' in operand) return filtered(operand.not);
    return 'through' in operand ? [operand.channel, ...filtered(operand.target)] : [];
  };
  const byUid = new Map([channel, ...filtered(predicate)].map((each) => [each.uid, each]));
  return [...byUid.values()];
}

/** Looks up one publication time of a channel, in the order of its index, in either direction. */
function timeSql(channel: Channel, isWanted: Prisma.Sql, direction: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT e.publish_at FROM entries e WHERE ${channelEntries(channel)} AND ${isWanted}
    ORDER BY e.publish_at ${direction} LIMIT 1)`;
}

function milliseconds(time: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`round(extract(epoch FROM ${time}) * 1000)::float8`;
}

// Parses the times of options: the end of a token's life (`--expires`), the time for which a rotated token stays valid
// (`--overlap`), and the beginning of a list of records.
import { z } from 'zod';
import { UsageError } from '../../clients/cli/src/terminal/refusal.ts';

const unitLengths = { h: 3_600_000, d: 86_400_000 };
const period = /^(\d{1,6})([hd])$/;
const maxTokenOverlap = 365 * unitLengths.d;

/**
 * Parses `--expires`: a number of days or hours from now, or a time with a zone.
 * @throws {UsageError} if it is neither, not in the future, or after the year 9999
 */
export function expiryOf(text: string, now: Date): Date {
  const expiry = periodFrom(text, now) ?? timeOf(text);
  if (expiry === null) {
    throw new UsageError(
      `--expires can't be "${text}": give days or hours such as 90d or 12h, or a time with a zone such as ` +
        '2030-12-31T23:59:59Z.',
    );
  }
  if (expiry <= now || expiry.getUTCFullYear() > 9999) {
    throw new UsageError(`--expires can't be "${text}": it must be in the future, and not after the year 9999.`);
  }
  return expiry;
}

/**
 * Parses `--overlap`, a number of days or hours, or 0, to milliseconds.
 * @throws {UsageError} if it is neither, or more than 365 days
 */
export function overlapOf(text: string): number {
  const length = text === '0' ? 0 : lengthOf(text);
  if (length === null || length > maxTokenOverlap) {
    throw new UsageError(`--overlap can't be "${text}": give hours or days such as 24h or 7d, at most 365d, or 0.`);
  }
  return length;
}

/**
 * Parses an option with a past time: a number of days or hours ago, or a time with a zone.
 * @param option the option's name, for the message
 * @throws {UsageError} if it is neither
 */
export function momentOf(option: string, text: string, now: Date): Date {
  const length = lengthOf(text);
  const moment = length === null ? timeOf(text) : new Date(now.getTime() - length);
  if (moment !== null && moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999) return moment;
  throw new UsageError(
    `${option} can't be "${text}": give days or hours ago such as 7d or 24h, or a time with a zone such as ` +
      '2026-01-31T00:00:00Z.',
  );
}

function periodFrom(text: string, now: Date): Date | null {
  const length = lengthOf(text);
  return length === null ? null : new Date(now.getTime() + length);
}

/** Parses a number of days or hours to milliseconds; null for any other text. */
function lengthOf(text: string): number | null {
  const [, count, unit] = period.exec(text) ?? [];
  return count === undefined || (unit !== 'h' && unit !== 'd') ? null : Number(count) * unitLengths[unit];
}

function timeOf(text: string): Date | null {
  const parsed = z.iso.datetime({ offset: true }).safeParse(text);
  return parsed.success ? new Date(parsed.data) : null;
}

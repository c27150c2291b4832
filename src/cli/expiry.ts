// Reads `--expires`: when a token expires.
import { z } from 'zod';
import { UsageError } from './run.ts';

const unitLengths = { h: 3_600_000, d: 86_400_000 };
const period = /^(\d{1,6})([hd])$/;

/**
 * The time that `--expires` stands for: a number of days or hours from now, or a time with a zone.
 * @throws {UsageError} where it is neither, not in the future, or beyond the year 9999
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

function periodFrom(text: string, now: Date): Date | null {
  const [, count, unit] = period.exec(text) ?? [];
  if (count === undefined || (unit !== 'h' && unit !== 'd')) return null;
  return new Date(now.getTime() + Number(count) * unitLengths[unit]);
}

function timeOf(text: string): Date | null {
  const parsed = z.iso.datetime({ offset: true }).safeParse(text);
  return parsed.success ? new Date(parsed.data) : null;
}

// Parses times in ISO 8601.
import { z } from 'zod';

const error = 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z';

/** The end of a time: hours and minutes, optional seconds, and a zone with or without a colon. */
const timeOfDay = /(T\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/**
 * Converts a time of ISO 8601, which may lack the seconds (`10:00Z`) or the colon in the zone (`+0530`), to RFC 3339.
 */
function spellOut(time: string): string {
  return time.replace(timeOfDay, (_, minutes: string, seconds = ':00', zone: string) => {
    return minutes + String(seconds) + zone.replace(/^(.\d{2})(\d{2})$/, '$1:$2');
  });
}

/** Parses an ISO 8601 time with a zone to a Date. Only years from 1 to 9999 have four digits and fit PostgreSQL. */
export const timeInput = z
  .string(error)
  .meta({ format: 'date-time' })
  .transform(spellOut)
  .pipe(z.iso.datetime({ offset: true, error }))
  .transform((text) => new Date(text))
  .refine(
    (time) => time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999,
    'must be between the years 1 and 9999',
  );

// Times as callers write them.
import { z } from 'zod';

/** Parses an ISO 8601 time with a zone to a Date. Only years from 1 to 9999 have four digits and fit PostgreSQL. */
export const timeInput = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z' })
  .transform((text) => new Date(text))
  .refine(
    (time) => time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999,
    'must be between the years 1 and 9999',
  );

// Moments in time, as callers write them.
import { z } from 'zod';

/** An ISO 8601 time with a zone, as a Date. Years from 1 to 9999 fit in four digits, and PostgreSQL stores them. */
export const timeInput = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z' })
  .transform((text) => new Date(text))
  .refine(
    (time) => time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999,
    'must be between the years 1 and 9999',
  );

// Email addresses of people: users and customers.
import { z } from 'zod';

/** A text that is plausible as an address. Only a message that arrives proves that it is one. */
export const emailInput = z
  .string()
  .max(320, 'must have at most 320 characters')
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address, such as ada@example.com');

// Email addresses of people: users and customers.
import { z } from 'zod';
import { upTo } from '../fields/text.ts';

/** A text that is plausible as an address. Only a message that arrives proves that it is one. */
export const emailInput = upTo(z.string(), 320).regex(
  /^[^\s@]+@[^\s@]+$/,
  'must be an email address, such as ada@example.com',
);

// The type of the database client for all code that is not about entries.
import type { PrismaClient } from '../generated/prisma/client.ts';

/**
 * Prisma's client without its own methods for entries, which do not check access. src/entries/model.ts replaces them by
 * methods that do.
 */
export type DatabaseClient = Omit<PrismaClient, 'entry'>;

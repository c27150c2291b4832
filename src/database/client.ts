// The client of the database, as everything below the entries' model sees it.
import type { PrismaClient } from '../generated/prisma/client.ts';

/**
 * Prisma's client without its plain methods for entries: these know no rule of access. src/entries/model.ts puts methods that do
 * in their place.
 */
export type DatabaseClient = Omit<PrismaClient, 'entry'>;

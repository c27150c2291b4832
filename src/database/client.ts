// The types of the database client for all code that is not about entries.
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ManagedModel } from './tables.ts';

/**
 * Prisma's client without its own methods for entries, which do not check access. src/entries/model.ts replaces them by
 * methods that do.
 */
export type DatabaseClient = Omit<PrismaClient, 'entry'>;

type Creates = 'create' | 'createMany' | 'createManyAndReturn' | 'upsert';
type Updates = 'update' | 'updateMany' | 'updateManyAndReturn' | 'delete' | 'deleteMany';

/**
 * The client of operations: it reads management data, and cannot write it. `manage` (src/management/manage.ts) gives one that can,
 * and stores the records.
 */
export type ReadingClient = Omit<DatabaseClient, ManagedModel | 'auditRecord'> & {
  readonly [Model in ManagedModel | 'auditRecord']: Omit<DatabaseClient[Model], Creates | Updates>;
};

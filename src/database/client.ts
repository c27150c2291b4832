// The types of the database client for all code except that for entries.
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ManagedModel } from './tables.ts';

/** Members of Prisma's client that only its owner may use, or that take SQL as a text. */
type OwnerMember = '$on' | '$connect' | '$disconnect' | '$extends' | Extract<keyof PrismaClient, `$${string}Unsafe`>;

/**
 * Prisma's client without its own methods for entries, which do not check access. src/entries/model.ts replaces them by
 * methods that do.
 */
export type DatabaseClient = Omit<PrismaClient, 'entry' | OwnerMember>;

type Creates = 'create' | 'createMany' | 'createManyAndReturn' | 'upsert';
type Updates = 'update' | 'updateMany' | 'updateManyAndReturn' | 'delete' | 'deleteMany';

/**
 * The client of operations, which reads management data and cannot write it. `manage` (src/management/manage.ts)
 * provides one that can, and stores the audit records.
 */
export type ReadingClient = Omit<DatabaseClient, ManagedModel | 'auditRecord'> & {
  readonly [Model in ManagedModel | 'auditRecord']: Omit<DatabaseClient[Model], Creates | Updates>;
};

// Prisma's schema engine as WebAssembly: the judge of whether our migrations, and the table that our own
// runner leaves, are what Prisma itself would accept. The stock driver adapters are unsafe for this; each
// repair below names the defect, and test/db/adapters.test.ts shows it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PGlite } from '@electric-sql/pglite';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { PrismaPGlite } from 'pglite-prisma-adapter';

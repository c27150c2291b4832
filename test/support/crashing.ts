// A PostgreSQL server of a test's own, which may be killed: what it has committed it keeps.
import { startServer, type OwnServer } from '../../scripts/postgresql.mjs';

/** Starts one. @throws Error where no installation is known: then scripts/test.mjs does not run these tests */
export async function startCrashingServer(): Promise<OwnServer> {
  const bin = process.env['TEST_PG_BIN'];
  if (bin === undefined) throw new Error('TEST_PG_BIN is not set: run the tests through scripts/test.mjs');
  return startServer(bin, { isDurable: true });
}

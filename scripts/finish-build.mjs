// What the compiler leaves to do: the bin of package.json is one to be run, and an initialised, empty store for the
// embedded database is put beside it, which a first start copies in a fraction of the time that initialising takes.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';

const dist = join(import.meta.dirname, '../dist');
chmodSync(join(dist, 'main.js'), 0o755);

const store = join(dist, 'pgdata');
const stamp = join(dist, 'pgdata.version');
const require = createRequire(import.meta.url);
const { version } = JSON.parse(
  readFileSync(join(require.resolve('@electric-sql/pglite'), '../../package.json'), 'utf8'),
);
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== version) {
  rmSync(store, { recursive: true, force: true });
  await (await PGlite.create(store)).close();
  writeFileSync(stamp, version);
}

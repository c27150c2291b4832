// The last part of `npm run production`, and of what precedes `npm pack`: deletes from @prisma/client what the generated client
// does not load, which is half of what is installed: the query compilers of other databases, the builds for CommonJS and edge
// runtimes, and source maps. The package brings the rest with it (bundleDependencies), because it cannot delete what its
// users install. In a checkout nothing else loads these files either.
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const runtime = dirname(createRequire(import.meta.url).resolve('@prisma/client/runtime/client'));
const generated = readFileSync(join(import.meta.dirname, '../dist/generated/prisma/internal/class.js'), 'utf8');

/** Whether a file of the runtime is one of the builds that the generated client does not name. */
function isUnused(name) {
  if (name.endsWith('.map') || name.startsWith('wasm-compiler-edge.')) return true;
  return name.startsWith('query_compiler_') && !generated.includes(`/runtime/${name}`);
}

const unused = readdirSync(runtime).filter(isUnused);
for (const name of unused) rmSync(join(runtime, name));
console.error(`${unused.length} files of Prisma's client that are not used here were deleted.`);

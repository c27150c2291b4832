// Writes src/generated/: the Prisma client from prisma/schema.prisma, the resolver types from schema/ by codegen.ts, and any-ascii.
// Each part is skipped while what it is made from has not changed (a stamp beside it holds the hash).
// `prisma generate` runs no schema engine, but the Prisma CLI wants to download one before every command;
// naming any existing file as the engine keeps it from that.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** Runs `command` unless the stamp in `dir` says that `inputs` were processed already. */
function once(dir, inputs, command, env = {}) {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(existsSync(input) ? readFileSync(input) : input);
  const digest = hash.digest('hex');
  const stamp = join(root, dir, '.stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  const run = spawnSync(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...env, ...process.env },
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
  mkdirSync(join(root, dir), { recursive: true });
  writeFileSync(stamp, digest);
}

const prismaPackage = require.resolve('prisma/package.json');
const prisma = require(prismaPackage);
once(
  'src/generated/prisma',
  [prisma.version, join(root, 'prisma/schema.prisma')],
  [join(dirname(prismaPackage), prisma.bin.prisma), 'generate'],
  { CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
);

const sdl = readdirSync(join(root, 'schema'))
  .sort()
  .map((name) => join(root, 'schema', name));
once(
  'src/generated/graphql',
  [join(root, 'codegen.ts'), join(root, 'src/base/enums.ts'), ...sdl],
  ['--import', 'tsx', 'codegen.ts'],
);

once(
  'src/generated/anyAscii',
  ['any-ascii.js', 'block.js', 'LICENSE', 'package.json']
    .map((name) => join(root, 'node_modules/any-ascii', name))
    .concat(join(root, 'scripts/generateAscii.mjs')),
  ['scripts/generateAscii.mjs'],
);

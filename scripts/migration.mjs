// `npm run migration -- <name>`: writes the next migration from what changed in prisma/functions/.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbedded } from '../src/database/embedded/embedded.ts';
import { migrate } from '../src/database/migrations/migrate.ts';
import { compareFunctions, migrationStatements, readSources } from './functions.mjs';
import { readOptions } from './options.mjs';

const usage = `npm run migration -- <name>
Compares prisma/functions/ with what the migrations make, and writes prisma/migrations/<time>_<name>/migration.sql from what changed.
If the newest migration has that name already, what was written from prisma/functions/ in it is written anew, below its other
statements. Without a name it says what differs.`;

const root = join(import.meta.dirname, '..');
const migrations = join(root, 'prisma/migrations');
const sources = readSources(join(root, 'prisma/functions'));
/** Where the part of a migration begins that is written from the sources. */
const mark = '-- From here on written from prisma/functions/ by `npm run migration`.\n';

const { words } = readOptions(usage, {}, { takesWords: true });
const [name] = words;
if (words.length > 1 || (name !== undefined && !/^[a-z][a-z0-9_]*$/.test(name))) {
  console.error(`A name is of small letters, digits and underscores.\n${usage}`);
  process.exit(2);
}
if (name === undefined) await sayWhatDiffers();
else await writeMigration(name);

async function sayWhatDiffers() {
  const differences = await compare();
  for (const { signature, before, after } of differences) {
    console.log(`${before === null ? 'new' : after === null ? 'gone' : 'changed'}: ${signature}`);
  }
  if (differences.length === 0)
    console.log('The migrations make the functions and types as they are in prisma/functions/.');
}

async function writeMigration(name) {
  const folder = join(migrations, nextFolder(name));
  const file = join(folder, 'migration.sql');
  const earlier = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const [byHand] = (earlier ?? '').split(mark);
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(file, byHand);
    const statements = migrationStatements(await compare(), sources);
    if (byHand === '' && statements.length === 0) throw new Error('Nothing changed: there is nothing to migrate.');
    if (statements.length > 0) writeFileSync(file, byHand + mark + '\n' + statements.join('\n\n') + '\n');
    const left = (await compare()).map(({ signature }) => signature);
    if (left.length > 0) throw new Error(`The migration does not make them as the files say: ${left.join(', ')}`);
  } catch (error) {
    if (earlier === null) rmSync(folder, { recursive: true });
    else writeFileSync(file, earlier);
    console.error(error.message);
    process.exit(1);
  }
  console.log(file);
}

/** The newest migration, if it has this name; else a new one, after all others. */
function nextFolder(name) {
  const newest = readdirSync(migrations)
    .filter((each) => /^\d{14}_/.test(each))
    .sort()
    .at(-1);
  if (newest.slice(15) === name) return newest;
  const now = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const time = now > newest.slice(0, 14) ? now : String(Number(newest.slice(0, 14)) + 1);
  return `${time}_${name}`;
}

/** Compares the sources with an embedded database that all migrations have made. */
async function compare() {
  const database = await openEmbedded();
  try {
    await migrate(database);
    return await database.session((session) => compareFunctions(session, sources));
  } finally {
    await database.close();
  }
}

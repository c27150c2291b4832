// The sources of the database's functions and composite types (prisma/functions/), compared with those of a migrated database.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A schema for the time of a comparison. */
const scratch = 'entryway_sources';

/** What a schema has of functions and composite types, but for those of extensions. */
const describe = `
  SELECT format('%I(%s)', p.proname, oidvectortypes(p.proargtypes)) AS signature, p.proname AS name, 'FUNCTION' AS kind,
    pg_get_functiondef(p.oid) AS definition
  FROM pg_proc p WHERE p.pronamespace = $1::regnamespace AND p.prokind = 'f'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  UNION ALL
  SELECT format('%I', c.relname), c.relname, 'TYPE', string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', '
    ORDER BY a.attnum)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
  WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'c'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  GROUP BY c.relname`;

/** Reads the files of a folder: each after those that have what it names. @returns { name, sql } of each */
export function readSources(directory) {
  const texts = new Map(
    readdirSync(directory)
      .sort()
      .map((file) => [file.replace(/\.sql$/, ''), readFileSync(join(directory, file), 'utf8')]),
  );
  const sources = new Set();
  const visit = (name, path) => {
    if (!texts.has(name) || path.includes(name)) return;
    const named = [...texts.get(name).matchAll(/"(entryway_\w+)"/g)].map(([, each]) => each);
    for (const each of named) visit(each, [...path, name]);
    sources.add(name);
  };
  for (const name of texts.keys()) visit(name, []);
  return [...sources].map((name) => ({ name, sql: texts.get(name) }));
}

/**
 * Compares the functions and composite types that a database has with those that the sources make, in a transaction that is rolled back.
 * @param session { exec, query } of a migrated database
 * @returns by signature, `{ signature, name, kind, before, after }` of those that differ: `before` is the database's definition, `after`
 *   that of the source; null: there is none
 * @throws Error if a source makes something that is named otherwise than its file
 */
export async function compareFunctions(session, sources) {
  const [{ schema }] = await session.query('SELECT current_schema() AS schema');
  await session.exec('BEGIN');
  try {
    const before = await readDefinitions(session, schema);
    await session.exec(`CREATE SCHEMA ${scratch}; SET LOCAL search_path = ${scratch}, ${schema}`);
    for (const { sql } of sources) await session.exec(sql);
    const after = await readDefinitions(session, scratch);
    assertNames(after, sources);
    return [...new Map([...before, ...after]).values()]
      .map(({ signature, name, kind }) => ({
        signature,
        name,
        kind,
        before: before.get(signature)?.definition ?? null,
        after: after.get(signature)?.definition ?? null,
      }))
      .filter((each) => each.before !== each.after);
  } finally {
    await session.exec('ROLLBACK');
  }
}

async function readDefinitions({ query }, schema) {
  const rows = await query(describe, [schema]);
  return new Map(
    rows.map(({ definition, ...row }) => [
      row.signature,
      { ...row, definition: definition.replace(/^(CREATE OR REPLACE FUNCTION )\w+\./, '$1') },
    ]),
  );
}

function assertNames(made, sources) {
  const [files, names] = [sources.map(({ name }) => name), [...made.values()].map(({ name }) => name)];
  const stray = names.filter((name) => !files.includes(name)).concat(files.filter((name) => !names.includes(name)));
  if (stray.length > 0)
    throw new Error(`A file has exactly the functions, or the type, of its name: ${stray.join(', ')}`);
}

/** A function whose text in a distributed database is another one than in its file (src/database/citus/distribution.ts). */
const replacedElsewhere = 'entryway_is_distributed';

/**
 * Writes the statements that make the functions and types of a database those of the sources.
 * @param differences what `compareFunctions` returned
 * @throws Error for what a migration may not do
 */
export function migrationStatements(differences, sources) {
  const find = (kind, isWanted) => differences.filter((each) => each.kind === kind && isWanted(each));
  const changedTypes = find('TYPE', ({ before, after }) => before !== null && after !== null);
  if (changedTypes.length > 0) {
    const names = changedTypes.map(({ name }) => name).join(', ');
    throw new Error(
      `A type that processes of the release before use cannot change: give the new one another name (${names})`,
    );
  }
  const made = new Set(differences.filter(({ after }) => after !== null).map(({ name }) => name));
  if (made.has(replacedElsewhere)) throw new Error(`${replacedElsewhere} cannot be replaced: its file says why`);
  const isDropped = ({ after }) => after === null;
  return [
    ...sources.filter(({ name }) => made.has(name)).map(({ sql }) => sql.trim()),
    ...find('FUNCTION', isDropped).map(({ signature }) => `DROP FUNCTION ${signature};`),
    ...find('TYPE', isDropped).map(({ signature }) => `DROP TYPE ${signature};`),
  ];
}

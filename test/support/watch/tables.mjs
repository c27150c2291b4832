// Which tables are the sites', and which statements on them may be as they are.
import { readdirSync, readFileSync } from 'node:fs';

const prisma = new URL('../../../prisma/', import.meta.url);

/** docs/contract.md §1.4. */
const globalModels = ['Site', 'User', 'Membership', 'Token'];

/** The tables of the models of prisma/schema.prisma that have a site and are not global. */
export function siteTables(schema = readFileSync(new URL('schema.prisma', prisma), 'utf8')) {
  const models = [...schema.matchAll(/^model (\w+) \{\n([^]*?)^\}/gm)];
  return models
    .filter(([, name, body]) => /^\s+siteId\s/m.test(body) && !globalModels.includes(name))
    .map(([, name, body]) => /^\s+@@map\("(\w+)"\)/m.exec(body)?.[1] ?? name);
}

/** What the service sends that is about no site, each with its reason. */
export function exceptions(tables) {
  const scripts = migrationScripts();
  const upkeep = new RegExp(`^VACUUM \\(ANALYZE\\) public\\.(?:${tables.join('|')})$`);
  return [
    {
      reason: 'the cursor of an export reads all rows of one site, page by page',
      matches: (text) => /^DECLARE page NO SCROLL CURSOR FOR\s+SELECT [^;]*? WHERE \w\.site_id = \$1 [^;]*$/.test(text),
    },
    {
      reason: 'a migration, and a statement of one, as it stands in its file, is about all sites',
      matches: (text) => scripts.some((script) => script === `\n${text}\n` || script.includes(`\n${text};\n`)),
    },
    {
      reason: 'publications whose time has come are found in the order of their times, of all sites',
      matches: (text) => /WHERE NOT e\.announced AND e\.status <> 'draft' AND e\.publish_at <= \$1/.test(text),
    },
    {
      reason: 'whether any site has a webhook',
      matches: (text) => text === 'SELECT w.id FROM webhooks w LIMIT 1',
    },
    {
      reason: 'the sites that have webhooks are found in their order, as many as the next statement names',
      matches: (text) =>
        /^SELECT DISTINCT w\.site_id AS site FROM webhooks w\s+WHERE w\.site_id > \$1 ORDER BY w\.site_id LIMIT \$2$/.test(
          text,
        ),
    },
    {
      reason: 'records without a place are few, of all sites, and have an index',
      matches: (text) =>
        /^SELECT (?:DISTINCT c\.site_id AS site|\(SELECT count\(\*\)::int FROM \(SELECT 1) FROM changes c\s+WHERE (?:c\.site_id > \$1 AND )?c\.position >= 4611686018427387904 /.test(
          text,
        ),
    },
    {
      reason: 'channels whose entries are derived for earlier fields are few, of all sites',
      matches: (text) => /WHERE c\.derived_version < c\.fields_version AND .* ORDER BY c\.site_id, c\.uid/.test(text),
    },
    {
      reason: 'channels whose changed scope is not recorded for all entries yet are few, of all sites',
      matches: (text) => /WHERE c\.earlier_sights <> '\{\}' ORDER BY c\.site_id/.test(text),
    },
    {
      reason: 'whoever opens the link of an invitation names no site: it is found by its secret alone',
      matches: (text) =>
        /^SELECT [^;]* FROM "public"\."invitations" WHERE \("public"\."invitations"\."hash" = \$1 AND [^;]*$/.test(
          text,
        ),
    },
    {
      reason: 'whom a provider signs in the first time is looked for among the invitations of all sites',
      matches: (text) =>
        /^\s*SELECT i\.site_id AS "siteId", i\.id::text AS id FROM invitations i\s+WHERE lower\(i\.email COLLATE "C"\) = \$1 AND [^;]* LIMIT \$3$/.test(
          text,
        ),
    },
    {
      reason: 'invitations that are over are deleted of all sites: they stand beside the global tables',
      matches: (text) =>
        /^DELETE FROM invitations WHERE hash = ANY\(ARRAY\(\s+SELECT i\.hash FROM invitations i WHERE i\.expires_at < \$1::timestamptz LIMIT \$2 /.test(
          text,
        ),
    },
    ...distributionExceptions(tables),
    { reason: 'the embedded database’s upkeep takes whole tables', matches: (text) => upkeep.test(text) },
  ];
}

/** What `entryway distribute` sends, which is about the tables themselves (src/database/citus/distribution.ts). */
function distributionExceptions(tables) {
  const table = `"?(?:${tables.join('|')})"?`;
  const statements = [
    `ALTER TABLE ${table} (?:DROP CONSTRAINT "\\w+_fkey"|ADD CONSTRAINT "\\w+_fkey" FOREIGN KEY [^;]+)`,
    `ALTER TABLE ${table} ALTER COLUMN "position" SET DEFAULT "entryway_written_at"\\(\\)`,
    `DROP TRIGGER \\w+ ON ${table}`,
    `CREATE TRIGGER \\w+ (?:BEFORE|AFTER) [^;]+ ON public\\.${table} FOR EACH ROW [^;]*EXECUTE FUNCTION entryway_\\w+\\([^;()]*\\)`,
    `ANALYZE ${table}`,
  ].map((statement) => new RegExp(`^${statement}$`));
  return [
    {
      reason: 'tables are spread without their foreign keys and triggers, and the planner is told of their shards',
      matches: (text) => statements.some((statement) => statement.test(text)),
    },
    {
      reason: 'feeds that stand are found of all sites',
      matches: (text) => text.startsWith("SELECT format('UPDATE change_feeds f SET last = "),
    },
  ];
}

function migrationScripts() {
  const folder = new URL('migrations/', prisma);
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.map(({ name }) => `\n${readFileSync(new URL(`${name}/migration.sql`, folder), 'utf8')}\n`);
}

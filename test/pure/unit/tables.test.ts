// The table of tables (src/database/tables.ts) against prisma/schema.prisma. That it has every model, and no other, its type says.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { enums } from '../../../src/base/enums.ts';
import { sections } from '../../../src/cli/moving/siteFile.ts';
import { sharedTables, siteTables } from '../../../src/database/citus/distribution.ts';
import { siteModels } from '../../../src/database/siteDatabase.ts';
import { allTables } from '../../../src/database/tables.ts';
import { features } from '../../../src/features.ts';

interface Model {
  readonly name: string;
  readonly table: string;
  readonly body: string;
}

const schema = readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8');
const models = [...schema.matchAll(/^model (\w+) \{\n([^]*?)^\}/gm)].map(([, name = '', body = '']): Model => {
  const [, table = ''] = /^ {2}@@map\("(\w+)"\)/m.exec(body) ?? [];
  return { name, table, body };
});
const orderOf = (name: string): number => allTables.findIndex(({ model }) => model === name);

test('each table has the name of its model in the schema', () => {
  const names = allTables.map(({ model, name }) => [model, name]);
  expect(names.sort()).toEqual(models.map(({ name, table }) => [name, table]).sort());
});

test('tables with site_id are on the node of their site, except those of tokens, members, invitations and roles', () => {
  const ofSites = models.filter(({ body }) => body.includes('@map("site_id")')).map(({ name }) => name);
  const onCoordinator = ['Invitation', 'Membership', 'Role', 'Token'];
  const placed = allTables.filter(({ place }) => place === 'site').map(({ model }) => model);
  expect(placed.sort()).toEqual(ofSites.filter((name) => !onCoordinator.includes(name)).sort());
});

test('the tables of sites are colocated with that of channels', () => {
  expect(siteTables[0]).toBe('channels');
  expect([...siteTables, ...sharedTables].sort()).toEqual(models.map(({ table }) => table).sort());
});

test('the client uses every model of a site on its node, except entries, which only statements use', () => {
  const placed = allTables.filter(({ place }) => place === 'site').map(({ model }) => model);
  const used = placed.filter((model) => !['Entry', 'EntryValue'].includes(model));
  expect([...siteModels].sort()).toEqual(used.map((name) => name.charAt(0).toLowerCase() + name.slice(1)).sort());
});

test('the deletion of a site empties exactly the tables with rows of sites', () => {
  const ofSites = models.filter(({ body }) => body.includes('@map("site_id")')).map(({ name }) => name);
  const emptied = allTables.filter(({ deletion }) => deletion.by !== 'nothing').map(({ model }) => model);
  expect(emptied.sort()).toEqual([...ofSites, 'Site'].sort());
});

test('referring rows of a site are deleted before their targets, or by the foreign key', () => {
  const wrong: string[] = [];
  for (const { name, body } of models) {
    const { deletion } = allTables[orderOf(name)] ?? {};
    for (const [, target = '', rest = ''] of body.matchAll(/^ {2}\w+ +(\w+)\?? +@relation\(fields: (.*)\)$/gm)) {
      const byKey = rest.includes('onDelete: Cascade');
      // What a foreign key deletes needs no deletion of its own, except entries, which may be many.
      if (deletion?.by === 'foreignKey' && !byKey) wrong.push(`${name} is not deleted with ${target}`);
      if (deletion?.by !== 'nothing' && orderOf(name) >= orderOf(target)) wrong.push(`${name} goes behind ${target}`);
    }
    if (deletion?.by === 'foreignKey' && !body.includes('onDelete: Cascade')) wrong.push(`${name} stays`);
  }
  expect(wrong).toEqual([]);
});

test('a file of a site has the sections that the tables name', () => {
  expect([...sections].sort()).toEqual(allTables.flatMap(({ section }) => section ?? []).sort());
});

test('each kind of object in the audit log has one table', () => {
  const audited = allTables.flatMap((table) => table.audited ?? []);
  expect(audited.sort()).toEqual(Object.values(enums.AuditType).sort());
});

test('each table belongs to one feature', () => {
  const owned = features.flatMap((feature): readonly string[] => feature.tables);
  expect(owned.sort()).toEqual(models.map(({ name }) => name).sort());
});

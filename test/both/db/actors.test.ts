// The grammar of actor keys exists twice: in src/rules/actors.ts, and in the function `entryway_actors`, from which the
// database generates the columns that reads are filtered by. Here the two are held equal, on keys made of the words that
// either of them knows.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PlainDatabase } from '../../../src/database/database.ts';
import type { AclRule } from '../../../src/rules/access.ts';
import { actorKeys, actorPrefixes, actorWords, longActorKey } from '../../../src/rules/actors.ts';
import { testDatabase } from '../../support/db.ts';

let database: PlainDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** The texts that the function compares keys with, such as `users` and `id:`. */
async function wordsOfFunction(): Promise<string[]> {
  const rows = await database.prisma.$queryRaw<{ source: string }[]>`
    SELECT prosrc AS source FROM pg_proc WHERE proname = 'entryway_actors'`;
  expect(rows).toHaveLength(1);
  return rows.flatMap(({ source }) => [...source.matchAll(/'([^']*)'/g)].map(([, text = '']) => text.replace('%', '')));
}

/** The keys of a list that have some value for an action, in their long form: by the database. */
async function actorsByDatabase(acl: Record<string, AclRule>, allowed: boolean): Promise<string[]> {
  const [row] = await database.prisma.$queryRaw<{ actors: string[] }[]>`
    SELECT entryway_actors(${JSON.stringify(acl)}::jsonb, 'read', ${allowed}) AS actors`;
  return [...new Set(row?.actors)].sort();
}

/** The same by the rules. */
function actorsByRules(acl: Record<string, AclRule>, allowed: boolean): string[] {
  const keys = Object.keys(acl).filter((key) => acl[key]?.read === allowed);
  return [...new Set(keys.map(longActorKey))].sort();
}

test('PostgreSQL gives actor keys the same long form as the rules', async () => {
  const words = [...new Set([...(await wordsOfFunction()), ...actorWords, ...actorPrefixes])];
  // Kinds that neither knows are not there by chance: a text with a colon is an id like any other.
  const part = fc.oneof(
    fc.constantFrom(...words, ...words.map((word) => word.toUpperCase()), 'team:', 'ada', ':', '', ' ', '%', '_', '\\'),
    fc.string({ unit: 'binary', maxLength: 5 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
  );
  const key = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
  const rule = fc.record({ read: fc.boolean(), update: fc.boolean() }, { requiredKeys: [] });
  const acls = fc.dictionary(key, rule, { maxKeys: 20 });
  // Each word once on its own and with a name, whatever is generated.
  const every = words.flatMap((word) => [word, `${word}x`]).map((word): [string, AclRule] => [word, { read: true }]);
  await fc.assert(
    fc.asyncProperty(acls, fc.boolean(), async (acl, allowed) => {
      expect(await actorsByDatabase(acl, allowed)).toEqual(actorsByRules(acl, allowed));
    }),
    { examples: [[Object.fromEntries(every), true]], numRuns: 200 },
  );
});

test('PostgreSQL leaves the keys of customers unchanged', async () => {
  const keys = actorKeys({ is: 'customer', id: 'ada', roles: ['editor', 'id:x'] });
  const acl = Object.fromEntries(keys.map((key) => [key, { read: true }]));
  expect(await actorsByDatabase(acl, true)).toEqual([...keys].sort());
});

// useAcl, on a field and on the URL, for every operation on entries (docs/contract.md §2, §7).
import { describe, expect, test } from '@jest/globals';
import type { Caller, GraphqlAnswer } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

/** Each operation on the channel `closed`, which lets nobody do anything, with `$useAcl`; and how it is refused. */
const operations = [
  ['entry', 'query', 'entry(channel: "closed", id: "one", useAcl: $useAcl) { id }', 'null'],
  ['entries', 'query', 'entries(channel: "closed", useAcl: $useAcl) { totalCount }', null],
  ['createEntry', 'mutation', 'createEntry(channel: "closed", input: {}, useAcl: $useAcl) { id }', 'FORBIDDEN'],
  [
    'updateEntry',
    'mutation',
    'updateEntry(channel: "closed", id: "one", input: {}, useAcl: $useAcl) { id }',
    'NOT_FOUND',
  ],
  ['publishEntry', 'mutation', 'publishEntry(channel: "closed", id: "one", useAcl: $useAcl) { id }', 'NOT_FOUND'],
  ['unpublishEntry', 'mutation', 'unpublishEntry(channel: "closed", id: "one", useAcl: $useAcl) { id }', 'NOT_FOUND'],
  ['deleteEntry', 'mutation', 'deleteEntry(channel: "closed", id: "one", useAcl: $useAcl)', 'NOT_FOUND'],
] as const;

const ways = [
  ['neither', false, ''],
  ['the argument', true, ''],
  ['the URL', false, '?use_acl=true'],
  ['both', true, '?use_acl=true'],
  ['the argument, against the URL', true, '?use_acl=false'],
  ['neither, and the URL says so', false, '?use_acl=0'],
] as const;

async function buildClosed() {
  const { db, site, channel, master, visitor } = await buildScene(app, {
    id: 'closed',
    readScope: 'none',
    publishable: true,
  });
  await buildEntry(db, channel, { slug: 'one' });
  return { db, site, master, visitor };
}

function run(caller: Caller, [, kind, field]: (typeof operations)[number], useAcl: boolean, query: string) {
  const document = `${kind} ($useAcl: Boolean!) { result: ${field} }`;
  return caller.gql<{ result: unknown }>(document, { useAcl }, { path: `/graphql${query}` });
}

/** What an operation came to: done, seen nothing of, or the code of its refusal. */
function outcomeOf({ data, errors }: GraphqlAnswer<{ result: unknown }>): unknown {
  return errors?.[0]?.extensions.code ?? data.result ?? 'null';
}

describe.each(operations)('%s', (...operation) => {
  const [name, , , refusal] = operation;
  const refused = refusal ?? { totalCount: 0 };

  test.each(ways)(
    'access control applies to a master token by the argument or the URL: %s',
    async (_way, useAcl, query) => {
      const { master } = await buildClosed();
      const outcome = outcomeOf(await run(master, operation, useAcl, query));
      const isChecked = useAcl || /=(true|1)$/.test(query);
      if (isChecked) expect(outcome).toEqual(refused);
      else if (name === 'entries') expect(outcome).toEqual({ totalCount: 1 });
      else expect(outcome).toEqual(name === 'deleteEntry' ? expect.any(String) : { id: expect.any(String) });
    },
  );
});

test('the argument useAcl applies to its own field alone, use_acl in the URL to all fields', async () => {
  const { master } = await buildClosed();
  const document = `{
    checked: entry(channel: "closed", id: "one", useAcl: true) { slug }
    plain: entry(channel: "closed", id: "one") { slug }
    list: entries(channel: "closed") { totalCount nodes { slug } }
  }`;
  const mixed = await master.gql(document);
  expect(mixed.data).toEqual({
    checked: null,
    plain: { slug: 'one' },
    list: { totalCount: 1, nodes: [{ slug: 'one' }] },
  });
  expectData(mixed);
  const all = await master.gql(document, {}, { path: '/graphql?use_acl=true' });
  expect(all.data).toEqual({ checked: null, plain: null, list: { totalCount: 0, nodes: [] } });
  expectData(all);
});

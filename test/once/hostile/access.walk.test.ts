// Rights that change while a list is walked by cursor: each page obeys those of its own time (docs/contract.md §2 to §4).
import { describe, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

describe('between two pages of a walk by cursor', () => {
  const page = `query ($after: String) { entries(channel: "articles", sort: ["slug"], first: 1, after: $after) {
    nodes { slug } pageInfo { endCursor } } }`;
  const update = (input: string): string => `updateEntry(channel: "articles", id: "b", input: ${input}) { id }`;
  // a and b are shown to the role editor, which ada has, bb to nobody, and c to everybody.
  test.each<[what: string, change: string, then: string[] | string]>([
    ['nothing happens', update('{ fields: { n: 1 } }'), ['b', 'c']],
    ['the role is taken away', 'updateCustomer(id: "ada", input: { roles: ["reader"] }) { id }', ['c']],
    ['an access list is tightened', update('{ acl: [] }'), ['c']],
    ['an entry is unpublished', update('{ status: DRAFT }'), ['c']],
    ['an entry is scheduled', update('{ status: SCHEDULED, publishAt: "2999-01-01T00:00:00Z" }'), ['c']],
    ['an entry is deleted', 'deleteEntry(channel: "articles", id: "b")', ['c']],
    ['the channel is deleted', 'deleteChannel(id: "articles", confirm: "articles")', 'NOT_FOUND'],
    ['it is opened', 'updateChannel(id: "articles", input: { acl: { read: PUBLIC } }) { id }', ['b', 'bb', 'c']],
  ])('a walk by cursor, if between two pages %s, continues with %j', async (_what, change, then) => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'none', publishable: true });
    const acl = { 'role:editor': { read: true } };
    for (const slug of ['a', 'b']) await buildEntry(db, channel, { slug, acl });
    await buildEntry(db, channel, { slug: 'bb' });
    await buildEntry(db, channel, { slug: 'c', acl: { '*': { read: true } } });
    const { session } = await buildCustomer(db, site.id, { id: 'ada', roles: ['editor'] });
    const ada = as(app, { token: site.public, session });
    const next = (after: string | null) =>
      ada.gql<{ entries: { nodes: { slug: string }[]; pageInfo: { endCursor: string | null } } }>(page, { after });
    const first = expectData(await next(null)).entries;
    expect(first.nodes).toEqual([{ slug: 'a' }]);
    expectData(await as(app, { token: site.master }).gql(`mutation { ${change} }`));
    const seen: string[] = [];
    for (let after = first.pageInfo.endCursor; after !== null;) {
      const later = await next(after);
      if (typeof then === 'string') {
        expectRefusal(later, then);
        return;
      }
      const { nodes, pageInfo } = expectData(later).entries;
      seen.push(...nodes.map(({ slug }) => slug));
      after = nodes.length === 0 ? null : pageInfo.endCursor;
    }
    expect(seen).toEqual(then);
  });
});

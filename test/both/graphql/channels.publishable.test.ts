// Switching a channel to not publishable shows what was hidden: refused unless confirmed (docs/contract.md §4).
import { describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { type Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const soon = new Date(Date.now() + 3_600_000);
const past = new Date(Date.now() - 60_000);

/** A site with a publishable channel `articles`. */
async function buildArticles(): Promise<{ channel: Channel; master: Caller; visitor: Caller }> {
  const { channel, master, visitor } = await buildScene(app, { publishable: true });
  return { channel, master: master, visitor: visitor };
}

function setPublishable(caller: Caller, publishable: boolean, confirm: string | null = null) {
  return caller.gql(
    `mutation ($publishable: Boolean!, $confirm: ID) {
      updateChannel(id: "articles", input: { publishable: $publishable, name: "New" }, confirm: $confirm) { publishable name }
    }`,
    { publishable, confirm },
  );
}

describe('allowed', () => {
  test('publishable can be turned off for an empty channel, and for one with only visible entries', async () => {
    const { channel, master } = await buildArticles();
    expect(expectData(await setPublishable(master, false))).toEqual({
      updateChannel: { publishable: false, name: 'New' },
    });
    expectData(await setPublishable(master, true));
    const now = { ...channel, version: channel.version + 2 };
    await buildEntry(app.database.prisma, now, { status: 'published', publishAt: past });
    await buildEntry(app.database.prisma, now, { status: 'scheduled', publishAt: past });
    await buildEntry(app.database.prisma, now, { status: 'published', acl: { '*': { read: false } } });
    expectData(await setPublishable(master, false));
  });

  test('another setting of a channel with hidden entries can be changed', async () => {
    const { channel, master } = await buildArticles();
    await buildEntry(app.database.prisma, channel, { status: 'draft' });
    expectData(await setPublishable(master, true));
  });
});

describe.each([
  ['a draft', { status: 'draft' }],
  ['a draft with a time in the past', { status: 'draft', publishAt: past }],
  ['published in the future', { status: 'published', publishAt: soon }],
  ['scheduled', { status: 'scheduled', publishAt: soon }],
] as const)('where the channel holds what is %s', (_name, hidden) => {
  test('turning publishable off with hidden entries is CONFLICT, and is done with the channel’s id as confirm', async () => {
    const { channel, master, visitor } = await buildArticles();
    await buildEntry(app.database.prisma, channel, { slug: 'seen' });
    await buildEntry(app.database.prisma, channel, { slug: 'hidden', ...hidden });
    for (const confirm of [null, 'other', '', 'ARTICLES']) {
      expectRefusal(await setPublishable(master, false, confirm), 'CONFLICT', ['publishable']);
    }
    const before = await master.gql('{ channel(id: "articles") { publishable name } }');
    expect(expectData(before)).toEqual({ channel: { publishable: true, name: 'A channel' } });
    expect((await visitor.rest('GET', '/channels/articles/entries/hidden')).status).toBe(404);
    expectData(await setPublishable(master, false, 'articles'));
    expect((await visitor.rest('GET', '/channels/articles/entries/hidden')).status).toBe(200);
  });
});

// A process whose cached channel is older than a change that it tells of (docs/contract.md §9.1): the entry of the change comes
// as it is, because nothing would tell its reader later that it is there.
import { expect, test } from '@jest/globals';
import { buildEntry } from '../../support/build.ts';
import { citusNodes } from '../../support/db.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });

interface Page {
  readonly changes: readonly { type: string; id: string; entry: { title: string } | null }[];
}

/** Turns the notifications of changed channels off and on. On Citus, each shard has a trigger whose name ends in its number. */
async function notify(does: 'DISABLE' | 'ENABLE'): Promise<void> {
  const turn = `ALTER TABLE channels ${does} TRIGGER channels_notify -- test: turns notifications off and on`;
  const onShard = `DO $do$ DECLARE shard TEXT := '%s'; BEGIN
    EXECUTE 'ALTER TABLE ' || shard || ' ${does} TRIGGER channels_notify_' || substring(shard FROM '[0-9]+$'); END $do$`;
  await app.database.session(async ({ exec, query }) => {
    if (citusNodes === null) return exec(turn);
    const rows = await query(
      `SELECT * FROM run_command_on_shards('channels', $1) AS r WHERE NOT r.success -- test: turns notifications off and on`,
      [onShard],
    );
    expect(rows).toEqual([]);
  });
}

test('the feed has an entry that a changed channel shows, although the process has not heard of the change', async () => {
  const scene = await buildScene(app, { readScope: 'shared' });
  const { id } = await buildEntry(scene.db, scene.channel, { data: { title: 'Hidden' } });
  const list = '/channels/articles/entries';
  expect((await scene.visitor.rest('GET', `${list}/${id}`)).status).toBe(404);
  await notify('DISABLE');
  try {
    await scene.master.rest('PATCH', '/channels/articles', { body: { acl: { read: 'public' } } });
    const { body } = await scene.visitor.rest<Page>('GET', '/changes?include=entry');
    const told = body.changes.filter((change) => change.id === id);
    expect(told.at(-1)).toMatchObject({ type: 'entry.updated', entry: { title: 'Hidden' } });
    // What the reader asks next is as new.
    expect((await scene.visitor.rest('GET', `${list}/${id}`)).status).toBe(200);
  } finally {
    await notify('ENABLE');
  }
});

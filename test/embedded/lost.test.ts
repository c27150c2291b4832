// The embedded database cannot write its log any more, as on a full disk: the process ends with the reason, and each
// acknowledged write is there when it starts again.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { as } from '../support/as.ts';
import { serve, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

const environment = { DATA_DIR: scratchDirectory(), RATE_LIMIT: 'off' };
const log = join(environment.DATA_DIR, 'pgdata/pg_wal');
let service: ServiceProcess;
afterAll(() => {
  service.child.kill('SIGKILL');
  removeScratch();
});

test('a service that cannot write its write-ahead log ends with the reason, and loses no acknowledged write', async () => {
  service = await serve(environment);
  const token = service.tokens?.master ?? '';
  const closed = once(service.child, 'close');
  const acknowledged: string[] = [];
  renameSync(log, `${log}.away`);
  // The log is made of files of 16 MiB: the next one can't be made.
  const statuses: number[] = [];
  for (let at = 0; at < 100 && service.child.exitCode === null; at += 1) {
    const marker = `m${at}`;
    // What can't be compressed, so that it fills the log.
    const body = { marker, filler: randomBytes(300_000).toString('base64') };
    const answer = await as(service, { token })
      .rest('POST', '/channels/articles/entries', { body })
      .catch(() => null);
    if (answer === null) break;
    statuses.push(answer.status);
    if (answer.status === 201) acknowledged.push(marker);
  }
  expect(await closed).toEqual([1, null]);
  expect([...new Set(statuses)]).toEqual([201, 503]);
  expect(service.log().trim().split('\n').at(-1)).toMatch(
    /^entryway: The embedded database ended: .*DATA_DIR.*start again/,
  );

  // Whatever starts it again too soon is told what to do.
  await expect(serve(environment)).rejects.toThrow(/DATA_DIR.*make room/);

  renameSync(`${log}.away`, log);
  service = await serve(environment);
  const query = '{ entries(channel: "articles", first: 250) { nodes { fields } } }';
  const { data } = await as(service, { token }).gql<{ entries: { nodes: { fields: { marker?: string } }[] } }>(query);
  const stored = data.entries.nodes.map(({ fields }) => fields.marker);
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(acknowledged.filter((marker) => !stored.includes(marker))).toEqual([]);
  expect(await service.stop()).toBe(0);
});

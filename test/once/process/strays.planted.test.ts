// A rejection that nobody handled ends the request that it belongs to, and not the process (docs/contract.md §13.2).
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, type TestSite } from '../../support/build.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { serveSite } from '../../support/servedSite.ts';
import { watchedEnvironment } from '../../support/watch/index.mjs';
import type { Workplace } from '../../support/workplace.ts';

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;
let visitor: Caller;

beforeEach(async () => {
  const planting = new URL('../../support/planting.mjs', import.meta.url).href;
  const options = [watchedEnvironment()['NODE_OPTIONS'], `--import ${planting}`].filter(Boolean).join(' ');
  ({ place, site, service } = await serveSite(
    async (prisma, siteId) => {
      await buildEntry(prisma, await buildChannel(prisma, siteId, { id: 'small' }), { slug: 'one' });
    },
    { NODE_OPTIONS: options, METRICS_PORT: '0', LOG_LEVEL: 'info' },
  ));
  visitor = as(service, { token: site.master });
}, 600_000);

afterEach(async () => {
  await service.stop();
  await place.remove();
});

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly requestId?: string;
  readonly url?: string;
}

/** The lines of the log with a message. */
function logged(message: string): Line[] {
  const lines = service.log().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === message);
}

/** The rejections that the log tells of, once there are any. */
async function loggedStrays(): Promise<Line[]> {
  while (logged('stray rejection').length === 0) await once(service.child.stderr, 'data');
  return logged('stray rejection');
}

async function countStrays(source: string): Promise<number> {
  const text = await (await fetch(logged('metrics')[0]?.url ?? '')).text();
  return Number(
    new RegExp(`^entryway_stray_rejections_total\\{source="${source}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
  );
}

const isAlive = async (): Promise<void> => {
  expect((await visitor.rest('GET', '/channels/small/entries/one')).status).toBe(200);
};

test('a stray rejection of a REST request: it is answered 500, others go on, and it is logged with its id and counted', async () => {
  const [{ status, headers, body }] = await Promise.all([visitor.rest('GET', '/channels'), isAlive()]);
  expect([status, body['code']]).toEqual([500, 'internal']);
  const requestId = headers.get('x-request-id') ?? '';
  expect(await loggedStrays()).toEqual([expect.objectContaining({ requestId, level: 50 })]);
  await isAlive();
  expect(await countStrays('request')).toBe(1);
  expect(await countStrays('unknown')).toBe(0);
});

test('a stray rejection of a GraphQL request: it is answered 500 in the form of GraphQL', async () => {
  const { status, errors, headers } = await visitor.gql('{ channels { id } }');
  const requestId = headers.get('x-request-id');
  expect([status, errors?.[0]?.extensions]).toEqual([500, { code: 'INTERNAL_SERVER_ERROR', requestId }]);
  expect(await loggedStrays()).toEqual([expect.objectContaining({ requestId })]);
  await isAlive();
});

test('a stray rejection of no request is logged and counted, and the process goes on', async () => {
  service.child.kill('SIGUSR2');
  expect(await loggedStrays()).toEqual([expect.not.objectContaining({ requestId: expect.anything() })]);
  await isAlive();
  expect(await countStrays('unknown')).toBe(1);
});

test('an uncaught error ends the process', async () => {
  service.child.kill('SIGHUP');
  expect(await once(service.child, 'exit')).toEqual([1, null]);
  expect(logged('crashed')).toHaveLength(1);
});

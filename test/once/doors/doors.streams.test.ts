// The streams, each with every kind of caller: what test/once/doors/doors.ts says of subscriptions holds for the streams of REST,
// too. What comes of them is tested in test/both/changes/.
import { describe, expect, test } from '@jest/globals';
import { openEvents, type EventReader } from '../../support/eventStream.ts';
import { suiteSites } from '../../support/scene.ts';
import { kinds } from '../../support/sites.ts';
import { cellOf } from './doors.ts';

const { app, sites } = await suiteSites();
const query = 'subscription { changes { type channel id } }';

describe.each(kinds)('%s', (kind) => {
  const cell = cellOf('Subscription', 'changes', kind);
  const wanted = /^\d+$/.test(cell) ? Number(cell) : 200;
  const acl = kind.endsWith('/acl') ? '?use_acl=true' : '';

  test.each([
    ['GET', '/changes', undefined],
    ['GET', '/channels/articles/changes', undefined],
    ['POST', '/graphql/stream', { query }],
  ])('the stream of %s %s answers the caller as the table of doors says', async (method, path, body) => {
    const { token, session, site } = sites.credentials[kind] ?? {};
    const credentials = { ...(token !== undefined && { token }), ...(session !== undefined && { session }) };
    const named = { ...credentials, ...(site !== undefined && { site }) };
    const reader: EventReader = await openEvents(app, `${path}${acl}`, named, {}, method, body);
    expect(reader.status).toBe(wanted);
    reader.close();
    await reader.ended;
    expect(JSON.stringify(reader.blocks)).not.toMatch(/secret of|Title of/);
  });
});

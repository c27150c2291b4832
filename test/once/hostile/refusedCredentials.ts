// What the tests of credentials share: everybody who might ask, and what is expected of those that are let in.
import { expect } from '@jest/globals';
import { as, send } from '../../support/as.ts';
import { buildCast, json, one, query, type Headers } from '../../support/callers.ts';
import { expectEntry } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

/** The service with everybody who might ask. */
export async function suiteCast() {
  const app = await suiteApp();
  const cast = await buildCast(app);
  return {
    app,
    cast,
    /** Expects that both doors take headers. */
    expectAllowed: async (headers: Headers): Promise<void> => {
      expect((await send(app, 'GET', one, { headers })).status).toBe(200);
      const body = JSON.stringify({ query });
      const answer = await send(app, 'POST', '/graphql', { headers: { ...headers, ...json }, body });
      expect(answer.body).toEqual({ data: { entries: { totalCount: 1 } } });
    },
    /** Expects that nothing was done of what was asked for. */
    expectNothingDone: async (): Promise<void> => {
      const entry = expectEntry(await as(app, { token: cast.master }).rest('GET', one));
      expect([entry['n'], entry._status]).toEqual([0, 'published']);
    },
  };
}

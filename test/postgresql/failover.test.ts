// A primary that dies beside its synchronous standby, while clients write and follow the feed; `npm run drill -- failover` does it
// at length.
import { expect, test } from '@jest/globals';
import { failover } from '../../scripts/drills/failover.mjs';
import { watchedEnvironment } from '../support/watch/index.mjs';

test.each([
  { primary: 'and closes its connections', isSilent: false },
  { primary: 'and leaves its connections open', isSilent: true },
])(
  'a primary that dies $primary: no acknowledged write is lost, and the feed has each change once, in order, without a restart',
  async ({ isSilent }) => {
    const seen = await failover({ writers: 4, writes: 40, isSilent, environment: watchedEnvironment() });
    expect(seen.wrong).toEqual({
      stored: { lost: [], back: [], unknown: [], stale: [] },
      feed: { missing: [], doubled: [], disordered: [], unknown: [] },
    });
    expect(seen.acknowledgedBefore).toBeGreaterThanOrEqual(40);
    expect(seen.acknowledged).toBeGreaterThanOrEqual(80);
    // Each write was acknowledged once in the end, and is one change.
    expect(seen.changes).toBe(seen.acknowledged);
  },
  600_000,
);

// The answer to a reader of changes whose rights end or change between a poll and its delivery (docs/contract.md §9.2).
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Context } from '../../../src/resolvers/context.ts';
import { fail, ServiceError } from '../../../src/base/errors.ts';
import type { HeldOpen } from '../../../src/admission/streams.ts';
import { followChanges, whileHeld } from '../../../src/features/changes/follow.ts';
import type { Membership } from '../../../src/features/changes/readerships.ts';
import { Readership } from '../../../src/features/changes/readership.ts';
import type { Reading } from '../../../src/features/changes/reading.ts';
import type { Writing } from '../../../src/features/changes/seats.ts';
import type { Caller } from '../../../src/rules/callers.ts';

interface Text extends Writing {
  readonly by: readonly string[] | undefined;
}

const editor: Caller = { kind: 'public', customer: { id: 'ada', roles: ['editor'] }, scopes: null };
const reader: Caller = { kind: 'public', customer: { id: 'ada', roles: [] }, scopes: null };

interface State {
  ended: HeldOpen['hold']['ended'];
  wake: () => void;
  /** Tells that there may be something new. */
  change: () => void;
}

/** A request that is held, whose caller has these rights at the first, the second … time that they are looked at. */
function hold(rights: readonly (Caller | 'ended')[]) {
  let looked = 0;
  let left = 0;
  const joined: Reading[] = [];
  const nothing = (): void => undefined;
  const state: State = { ended: null, wake: nothing, change: nothing };
  const join = (given: Omit<Reading, 'form'>): Membership<Text> => {
    const reading = { ...given, form: 'text' };
    joined.push(reading);
    const readership = new Readership<Text>({
      limit: 1,
      watch: (onChanges) => {
        state.change = onChanges;
        return () => undefined;
      },
      poll: (position) =>
        Promise.resolve({
          written: { bytes: 1, by: reading.caller.customer?.roles },
          position: `${position}+`,
          makeCursor: () => 'cursor',
          more: false,
        }),
    });
    return {
      reading,
      sit: (position, wake) => readership.sit(position, wake),
      leave: () => {
        left += 1;
        readership.close();
      },
    };
  };
  const held: HeldOpen = {
    hold: {
      get ended() {
        return state.ended;
      },
      wait: () => new Promise((resolve) => (state.wake = resolve)),
      waitAs: () => undefined,
      wake: () => state.wake(),
      close: () => undefined,
    },
    readerships: { join } as unknown as HeldOpen['readerships'],
  };
  const renew = (): Promise<{ caller: Caller; now: Date }> => {
    const caller = rights[Math.min(looked, rights.length - 1)] ?? 'ended';
    looked += 1;
    if (caller === 'ended') return Promise.reject(new ServiceError('unauthenticated'));
    return Promise.resolve({ caller, now: new Date() });
  };
  const context = { admission: { rights: { renew } }, site: 'blog', useAcl: false, baseUrl: '' } as unknown as Context;
  const form = { key: 'text', write: () => fail('internal') };
  const told = followChanges<Text>({ args: { after: 'p', limit: 1 }, context, held, quiet: 60_000, form });
  return { told, joined, state, left: () => left };
}

test('a caller whose rights have ended since the poll gets its refusal, and nothing of the result', async () => {
  const { told, left } = hold([editor, 'ended']);
  await expect(told.next()).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(left()).toBe(1);
});

test('a caller whose roles have changed since the poll gets the changes that it sees with the new ones, from the same position', async () => {
  const { told, joined, left } = hold([editor, reader, reader, reader]);
  const { value } = await told.next();
  expect(value).toMatchObject({ written: { by: [] } });
  expect(joined.map(({ caller }) => caller)).toEqual([editor, reader]);
  await told.return();
  expect(left()).toBe(2);
});

test('a caller whose rights are unchanged stays in its readership', async () => {
  const { told, joined, state } = hold([editor]);
  expect(await told.next()).toMatchObject({ value: { written: { by: ['editor'] } } });
  const next = told.next();
  await setImmediate();
  state.change();
  expect(await next).toMatchObject({ value: { written: { by: ['editor'] } } });
  expect(joined).toHaveLength(1);
  await told.return();
});

test('the rest of a page is not sent once the request is released', () => {
  const { state } = hold([editor]);
  const sent: number[] = [];
  for (const { part } of whileHeld({ bytes: 3, parts: [1, 2, 3] }, state)) {
    sent.push(part);
    if (part === 2) state.ended = new ServiceError('unauthenticated');
  }
  expect(sent).toEqual([1, 2]);
});

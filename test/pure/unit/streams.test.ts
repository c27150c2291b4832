// Requests that are held open (src/admission/streams.ts, docs/contract.md §9.2): events besides a change that wake one.
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ServiceError } from '../../../src/base/errors.ts';
import type { Caller } from '../../../src/rules/callers.ts';
import { Hold } from '../../../src/admission/streams.ts';

const ada = (...roles: string[]): Caller => ({ kind: 'public', customer: { id: 'ada', roles }, scopes: null });

/** A request whose caller has these rights. */
function hold(rights: { caller: Caller | null }): { held: Hold; isWoken: () => Promise<boolean> } {
  const response = Object.assign(new EventEmitter(), { req: { socket: { setTimeout: () => undefined } } });
  const renewRights = (): Promise<{ caller: Caller }> => {
    if (rights.caller === null) return Promise.reject(new ServiceError('unauthenticated'));
    return Promise.resolve({ caller: rights.caller });
  };
  const request = { caller: '', sharedToken: null, renewRights, response: response as unknown as ServerResponse };
  const held = new Hold(request, () => undefined);
  let isOver = false;
  void held.wait(60_000).then(() => (isOver = true));
  const isWoken = async (): Promise<boolean> => {
    await setImmediate();
    return isOver;
  };
  return { held, isWoken };
}

test('a held request is woken when the roles of its caller differ from those that it waits with, and not before', async () => {
  const rights = { caller: ada('editor') };
  const { held, isWoken } = hold(rights);
  held.waitAs(ada('editor'));
  await held.check();
  expect(await isWoken()).toBe(false);
  rights.caller = ada();
  await held.check();
  expect([await isWoken(), held.ended]).toEqual([true, null]);
});

test('a held request whose caller has lost its rights is woken and ends', async () => {
  const rights: { caller: Caller | null } = { caller: ada() };
  const { held, isWoken } = hold(rights);
  held.waitAs(ada());
  rights.caller = null;
  await held.check();
  expect([await isWoken(), held.ended]).toMatchObject([true, { code: 'unauthenticated' }]);
  held.close();
});

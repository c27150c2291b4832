// Reading the list of nodes, from stand-ins for connections.
import { expect, test } from '@jest/globals';
import type { ClientClass } from '../../../src/database/postgresql/hosts.ts';
import { TopologyReader } from '../../../src/database/citus/topologyReader.ts';

const rows = [{ group: 0, host: 'db0', port: 5432, localGroup: 0, placement: '7' }];
const never = new Promise<never>(() => undefined);

/** A class of connections that give these answers, one each. */
function answering(answers: readonly (() => Promise<unknown>)[]): { Client: ClientClass; used: string[] } {
  const used: string[] = [];
  class Client {
    readonly #number = used.filter((each) => each.startsWith('connect')).length + 1;
    connect(): Promise<void> {
      used.push(`connect ${this.#number}`);
      return Promise.resolve();
    }
    query(): Promise<unknown> {
      return answers[this.#number - 1]?.() ?? never;
    }
    end(): Promise<void> {
      used.push(`end ${this.#number}`);
      return Promise.resolve();
    }
    readonly on = (): null => null;
    readonly unref = (): null => null;
  }
  return { Client: Client as unknown as ClientClass, used };
}

test('the list of nodes is read on one connection as long as it answers', async () => {
  const { Client, used } = answering([() => Promise.resolve({ rows })]);
  const reader = new TopologyReader(Client);
  for (const _round of [1, 2, 3]) expect((await reader.read()).nodes).toEqual([{ group: 0, host: 'db0', port: 5432 }]);
  expect(used).toEqual(['connect 1']);
  reader.close();
  expect(used).toEqual(['connect 1', 'end 1']);
});

test.each([
  ['hangs', () => never, 'the coordinator does not say which nodes there are'],
  ['fails', () => Promise.reject(new Error('it ended')), 'it ended'],
])('after a connection that %s, the list of nodes is read on another one', async (_what, answer, message) => {
  const { Client, used } = answering([answer, () => Promise.resolve({ rows })]);
  const reader = new TopologyReader(Client);
  await expect(reader.read()).rejects.toThrow(message);
  expect((await reader.read()).localGroup).toBe(0);
  expect(used).toEqual(['connect 1', 'end 1', 'connect 2']);
});

// The memory of a request is freed by collections of the young generation. Were it kept until a full collection, each
// request would cost the time to move it, and memory until then.
import { EventEmitter } from 'node:events';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.ts';
import type { Context } from '../../../src/resolvers/context.ts';
import { DocumentCache } from '../../../src/graphql/documents.ts';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { createGraphqlServer } from '../../../src/graphql/server.ts';
import { limitUnsent } from '../../../src/http/unsent.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void;

/** What lives beyond collections of the young generation, in bytes. */
function readOldSpace(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => name === 'old_space');
  return old[0]?.space_used_size ?? NaN;
}

test('a sent answer leaves nothing behind that only a full collection frees', () => {
  const sending: EventEmitter[] = [];
  const send = (): void => {
    const used = { writableLength: 1, holder: Array.from({ length: 1_000 }, (_, at) => at / 3) };
    const response = Object.assign(new EventEmitter(), used);
    limitUnsent(response as unknown as Parameters<typeof limitUnsent>[0]);
    response.emit('prefinish');
    sending.push(response);
    if (sending.length > 16) sending.shift()?.emit('close');
  };
  for (let times = 0; times < 100; times += 1) send();
  collect({ type: 'major' });
  const before = readOldSpace();
  for (let times = 0; times < 2_000; times += 1) {
    send();
    if (times % 50 === 0) collect({ type: 'minor' });
  }
  // The arrays alone are 16 MB. Those that are under way while two collections follow each other are moved, however they end.
  expect(readOldSpace() - before).toBeLessThan(8_000_000);
  for (const response of sending) response.emit('close');
});

test('a GraphQL request leaves nothing behind that only a full collection frees', async () => {
  const { production, limits } = readConfig({});
  const documents = new DocumentCache(limits.graphql.length).of('');
  const log = pino({ enabled: false });
  const server = createGraphqlServer({
    schema: createSchema(resolvers),
    documents,
    production,
    limits: limits.graphql,
    log,
  });
  await server.start();
  const ask = async (): Promise<void> => {
    // As large as what ten usual requests use.
    const used = { holder: Array.from({ length: 10_000 }, (_, at) => at / 3) };
    const context = {
      caller: { kind: 'master', customer: null },
      admission: { admit: () => Promise.resolve(), ...used },
    };
    const readAlone = <Result>(read: () => Result): Promise<Result> => Promise.resolve(read());
    const contextValue = { context: context as unknown as Context, shares: { readAlone } };
    const { body } = await server.executeOperation({ query: '{ __typename }' }, { contextValue });
    expect(body).toMatchObject({ kind: 'single', singleResult: { data: { json: '{"__typename":"Query"}' } } });
  };
  for (let times = 0; times < 20; times += 1) await ask();
  collect({ type: 'major' });
  const before = readOldSpace();
  for (let times = 0; times < 200; times += 1) {
    await ask();
    if (times % 5 === 0) collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  // The arrays alone are 16 MB. Those that are under way while two collections follow each other are moved, however they end.
  expect(readOldSpace() - before).toBeLessThan(8_000_000);
  await server.stop();
});

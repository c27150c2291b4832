// Loaded into a process whose allocations and promises are counted: the parent sends `{ count: 'bytes' }` or `{ count: 'promises' }`,
// then `{ count: null }`, and gets the figure. It needs --expose-gc, and a young generation that holds all that is allocated meanwhile.
import { createHook } from 'node:async_hooks';
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';

let promises = 0;
const hook = createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises += 1;
  },
});
let collections = 0;
new PerformanceObserver((list) => (collections += list.getEntries().length)).observe({ entryTypes: ['gc'] });

const begin = {
  bytes: async () => {
    globalThis.gc();
    // The observer hears of this collection, too.
    await sleep(50);
    collections = 0;
    const before = getHeapStatistics().used_heap_size;
    return async () => {
      const bytes = getHeapStatistics().used_heap_size - before;
      await sleep(50);
      if (collections > 0) throw new Error('Memory was collected while it was counted.');
      return bytes;
    };
  },
  promises: async () => {
    promises = 0;
    hook.enable();
    return async () => {
      hook.disable();
      return promises;
    };
  },
};
let end;

async function answer({ count }) {
  if (count === null) return { figure: await end() };
  end = await begin[count]();
  return {};
}

process.on('message', (message) => {
  if (message.count === undefined) return;
  answer(message).then(
    (reply) => process.send(reply),
    ({ message: failure }) => process.send({ failure }),
  );
});
// It keeps no process from ending.
process.channel.unref();

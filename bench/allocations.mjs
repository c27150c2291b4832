// Loaded into a process whose allocations and promises are counted: the parent sends `{ count: 'bytes' }` or `{ count: 'promises' }`,
// then `{ count: null }`, and gets the figure. It needs --expose-gc, and a young generation that holds all that is allocated meanwhile.
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { Server } from 'node:http';
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';

const requests = new AsyncLocalStorage();
let promises = 0;
const hook = createHook({
  init(_id, type) {
    // What runs beside the requests makes promises, too.
    if (type === 'PROMISE' && requests.getStore() !== undefined) promises += 1;
  },
});
const { emit } = Server.prototype;

/** Emits an event of a server: a request with a context of its own. */
function emitInContext(event, ...args) {
  const emitting = () => emit.call(this, event, ...args);
  return event === 'request' ? requests.run(true, emitting) : emitting();
}

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
    Server.prototype.emit = emitInContext;
    hook.enable();
    return async () => {
      hook.disable();
      Server.prototype.emit = emit;
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

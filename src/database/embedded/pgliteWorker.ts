// The thread of the embedded database: a running statement blocks this thread, not the service's.
import { parentPort } from 'node:worker_threads';
import { openHost, type PgliteHost, type TextResults } from './pgliteHost.ts';
import { describeError, type ThreadMessage, type ThreadRequest } from './pgliteMessages.ts';

if (parentPort === null) throw new Error('this file is run as a thread (src/database/embedded/pgliteThread.ts)');
const port = parentPort;
const post = (message: ThreadMessage): void => port.postMessage(message);
let host: PgliteHost | undefined;

async function answer({ request }: ThreadRequest): Promise<readonly TextResults[]> {
  if (request.kind === 'open') {
    host = await openHost(request.options, { onNotification: (channel, payload) => post({ channel, payload }) });
    return [];
  }
  if (host === undefined) throw new Error('the embedded database is not open');
  if (request.kind !== 'close') return host.run(request);
  await host.close();
  return [];
}

port.on('message', (message: ThreadRequest) => {
  answer(message).then(
    (results) => post({ id: message.id, results }),
    (error: unknown) => post({ id: message.id, failure: describeError(error) }),
  );
});

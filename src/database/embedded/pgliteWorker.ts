// The thread of the embedded database: while a statement runs, nothing else does here, and the service's own thread goes on.
import { parentPort } from 'node:worker_threads';
import { openHost, type PgliteHost, type TextResults } from './pgliteHost.ts';
import { describeError, type ThreadMessage, type ThreadRequest } from './pgliteMessages.ts';

if (parentPort === null) throw new Error('this file is run as a thread (src/database/embedded/pgliteThread.ts)');
const port = parentPort;
const tell = (message: ThreadMessage): void => port.postMessage(message);
let host: PgliteHost | undefined;

async function answer({ request }: ThreadRequest): Promise<readonly TextResults[]> {
  if (request.kind === 'open') {
    host = await openHost(request.options, { onNotification: (channel, payload) => tell({ channel, payload }) });
    return [];
  }
  if (host === undefined) throw new Error('the embedded database is not open');
  if (request.kind !== 'close') return host.run(request);
  await host.close();
  return [];
}

port.on('message', (message: ThreadRequest) => {
  answer(message).then(
    (results) => tell({ id: message.id, results }),
    (error: unknown) => tell({ id: message.id, failure: describeError(error) }),
  );
});

// Accepts commands while the service runs on the embedded database, which no other process may open: over a socket that
// only its owner may open (docs/contract.md §12.2).
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { isUnavailable } from '../../database/databaseErrors.ts';
import { recordSocket } from '../../database/embedded/directoryLock.ts';
import { fail, ServiceError } from '../../base/errors.ts';
import { drain } from '../../http/drain.ts';
import { countJson } from '../../inputs/jsonText.ts';
import { makeCall } from './operatorCalls.ts';
import { ownVersion, requestMessage, rowsPath, versionedRequest, type ResponseMessage } from './socketMessages.ts';
import { listenPrivately } from './socketPlace.ts';

/** Limits of a client's message: it is the owner of the database, but may be broken. */
const maxMessageBytes = 65_536;
const maxRowsBytes = 64 * 1024 * 1024;
const maxCommands = 64;
/** Limits of the JSON in a message: more than the rows of a batch of an import need (`moving/importSite.ts`). */
const messageLimits = { depth: 1_000, members: 100_000, values: 2_000_000 };
/** Rows arrive in many chunks, between which the database may be busy with other requests. */
const socketTimeouts = { requestTimeout: 60_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 };

/** Time for running calls to finish when the service stops. */
const maxClosingMilliseconds = 5_000;

interface CommandSocket {
  /** Lets running calls finish, within a limit, and removes the socket. */
  readonly close: () => Promise<void>;
}

/**
 * Accepts commands from now on. If that is not possible, a log line has the reason, and the service continues without.
 */
export async function openCommandSocket(
  { dataDir, limits }: Pick<Config, 'dataDir' | 'limits'>,
  database: Database,
  log: Logger,
): Promise<CommandSocket> {
  const server = createServer({ ...socketTimeouts, keepAlive: false }, (request, response) => {
    void answer(request, { database, limits }, log).then(
      (message) => sendMessage(response, message),
      (error: unknown) => {
        log.debug({ err: error }, 'a command went away');
        request.destroy();
      },
    );
  });
  server.maxConnections = maxCommands;
  try {
    const { path, remove } = await listenPrivately(server, dataDir);
    recordSocket(dataDir, path);
    return {
      close: async () => {
        await drain(server, maxClosingMilliseconds);
        remove();
      },
    };
  } catch (error) {
    log.warn({ err: error }, 'commands such as "entryway site list" cannot be taken while the service runs');
    server.close();
    return { close: () => Promise.resolve() };
  }
}

type CommandTarget = Omit<Parameters<typeof makeCall>[2], 'now'>;

/** Runs the call of a request. @throws Error if the client disconnected before it had sent its request */
async function answer(request: IncomingMessage, target: CommandTarget, log: Logger): Promise<ResponseMessage> {
  try {
    const { call, input, now } = readMessage(await readText(request));
    log.info({ call }, 'command');
    return { result: await makeCall(call, input, { ...target, now }) };
  } catch (error) {
    if (!(error instanceof ServiceError) && !request.complete) throw error;
    const { code, detail } = error instanceof ServiceError ? error : asServiceError(error, log);
    return { error: { code, detail } };
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const maxBytes = request.url === rowsPath ? maxRowsBytes : maxMessageBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection stays open, so that a refusal can be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) fail('payload_too_large', `A message may have ${maxBytes} bytes at most.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * @throws bad_request for a text that is not a message, or holds too much; conflict for a command of another version
 */
function readMessage(text: string): { call: string; input: unknown; now: Date } {
  countJson(Buffer.from(text), messageLimits, 'The message');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    fail('bad_request', 'This is not a message of a command: it is not JSON.');
  }
  const versioned = versionedRequest.safeParse(json);
  if (versioned.success && versioned.data.version !== ownVersion) {
    fail(
      'conflict',
      `The running service is Entryway ${ownVersion}, and this command is of the version ${versioned.data.version}: ` +
        'run the command of the same version, or restart the service.',
    );
  }
  const message = requestMessage.safeParse(json);
  if (!message.success) fail('bad_request', 'This is not a message of a command.');
  return message.data;
}

function asServiceError(error: unknown, log: Logger): ServiceError {
  log.error({ err: error }, 'a command failed');
  return isUnavailable(error)
    ? new ServiceError('unavailable', { detail: 'The database did not do it in time. Try again.' })
    : new ServiceError('internal', { detail: 'The running service failed to do it: its log says why.' });
}

function sendMessage(response: ServerResponse, message: ResponseMessage): void {
  const status = 'error' in message ? new ServiceError(message.error.code).status : 200;
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify(message));
}

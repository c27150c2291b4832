// Sends a command's calls to the service that has the embedded database open.
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { readOwner } from '../../database/embedded/directoryLock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { CallName } from './operatorCalls.ts';
import { reasonOf, Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { ownVersion, responseMessage, rowsPath, type RequestMessage } from './socketMessages.ts';
import { isPrivateSocket } from './socketPlace.ts';

/** Maximum time for a call: on large sites calls read many rows. */
const maxCallMilliseconds = 300_000;
const maxConnectMilliseconds = 5_000;

/** Finds the socket on which a service accepts commands for a data directory; null if there is none at the moment. */
export async function findCommandSocket(dataDir: string): Promise<string | null> {
  const path = readOwner(dataDir)?.socket;
  return path !== undefined && isPrivateSocket(path, dataDir) && (await accepts(path)) ? path : null;
}

/** Whether a process listens on a socket. A process that was killed leaves a socket behind. */
function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(maxConnectMilliseconds, () => end(false));
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/**
 * Sends a call over the socket of a service.
 * @returns the call's result
 * @throws as the operation; {Refusal} if no answer comes, or one that this version does not understand
 */
export async function callThroughSocket(path: string, call: CallName, input: unknown, now: Date): Promise<unknown> {
  const message: RequestMessage = { version: ownVersion, call, input, now: now.toISOString() };
  const to = isLarge(call) ? rowsPath : '/command';
  const answer = await postCall(path, to, JSON.stringify(message)).catch((error: unknown) => {
    throw new Refusal(
      `The running service gave no answer (${reasonOf(error)}). Whether it has done this is not known: see whether it ` +
        'runs, look with "list" or "show", and run the command again where needed.',
    );
  });
  const parsed = parseAnswer(answer);
  if ('error' in parsed) throw new ServiceError(parsed.error.code, { detail: parsed.error.detail });
  return parsed.result;
}

function isLarge(call: CallName): boolean {
  return call === 'importSiteRows' || call === 'finishSiteImport';
}

function postCall(socketPath: string, path: string, body: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const signal = AbortSignal.timeout(maxCallMilliseconds);
  return new Promise((resolve, reject) => {
    request({ socketPath, path, method: 'POST', headers, signal, agent: false }, (response) => {
      text(response).then(resolve, reject);
    })
      .once('error', reject)
      .end(body);
  });
}

function parseAnswer(answer: string): ReturnType<typeof responseMessage.parse> {
  try {
    return responseMessage.parse(JSON.parse(answer));
  } catch {
    throw new Refusal(
      `The running service gave an answer that this command does not understand. It may be of another version than ` +
        `${ownVersion}: run the command of its version, or restart the service.`,
    );
  }
}

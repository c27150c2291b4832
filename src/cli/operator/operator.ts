// Runs commands on the database of the environment: directly, or through the service that has the embedded database
// open.
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig, type Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { ServiceError } from '../../base/errors.ts';
import { databaseWords, nameDatabase, type DatabaseName } from '../databaseName.ts';
import type { CallInput, CallName, CallResult } from './operatorCalls.ts';
import { withTables } from './run.ts';
import { callThroughSocket, findCommandSocket } from './socketClient.ts';

/** The access of a command to the database. */
export interface OperatorAccess {
  readonly database: DatabaseName;
  /** The name of the database after the word "in". */
  readonly where: string;
  /**
   * Makes a call on the database.
   * @param now the time of the call; absent for the present
   * @throws as the operation
   */
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>, now?: Date) => Promise<CallResult<Name>>;
}

type MakeCall = (name: CallName, input: unknown, now: Date) => Promise<unknown>;
type OpenDatabase = <T>(work: (database: Database) => Promise<T>) => Promise<T>;

/** Maximum wait for a process that has the embedded database open, and does not accept commands at the moment. */
const maxCommandWait = 30_000;
const retryMilliseconds = 100;

/**
 * Works on the database of the environment as the operator.
 * @param open opens the database, unless a service has it open
 * @throws as `open`; and as the operations, with the name of the database
 */
export async function asOperator<T>(
  work: (operator: OperatorAccess) => Promise<T>,
  open: OpenDatabase = withTables,
): Promise<T> {
  const config = readConfig(process.env);
  const database = nameDatabase(config);
  const where = databaseWords(database);
  const workWith = (makeCall: MakeCall): Promise<T> =>
    work({
      database,
      where,
      call: async <Name extends CallName>(name: Name, input: CallInput<Name>, now = new Date()) =>
        (await makeCall(name, input, now)) as CallResult<Name>,
    });
  const workHere = (): Promise<T> => open(async (opened) => workWith(await callsOn(opened, config)));
  try {
    return await (database.kind === 'embedded' ? viaService(database.directory, workWith, workHere) : workHere());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, { detail: `In ${where}: ${error.detail}`, internal: error });
  }
}

/** Works through the service that has the directory open; without one, opens the directory itself. */
async function viaService<T>(
  directory: string,
  workWith: (makeCall: MakeCall) => Promise<T>,
  workHere: () => Promise<T>,
): Promise<T> {
  const giveUpAt = performance.now() + maxCommandWait;
  for (;;) {
    const socket = await findCommandSocket(directory);
    if (socket !== null) return workWith((...call) => callThroughSocket(socket, ...call));
    try {
      return await workHere();
    } catch (error) {
      // The error of the opening: no work was done. The other process may be starting, stopping, or a command.
      const isInUse = error instanceof Error && error.name === 'DirectoryInUseError';
      if (!isInUse || performance.now() > giveUpAt) throw error;
    }
    await sleep(retryMilliseconds);
  }
}

/** Makes calls in this process. Inputs and results are converted to JSON, as over the socket. */
async function callsOn(database: Database, { limits }: Config): Promise<MakeCall> {
  const { makeCall } = await import('./operatorCalls.ts');
  return async (name, input, now) => asJsonValue(await makeCall(name, asJsonValue(input), { database, limits, now }));
}

function asJsonValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

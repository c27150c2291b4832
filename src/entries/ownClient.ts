// The database client of the process's own work: sweeps, the places of changes, publications, rebuilds, webhooks. What it writes
// takes turns of its own (src/admission/shares.ts), so that commits which nobody confirms do not take up the whole pool.
import type { DatabaseClient } from '../database/client.ts';
import type { EntryStatements } from '../database/statements.ts';
import { withEntries, type EntryClient } from './model.ts';

/** Runs a statement or a transaction when it is its turn. */
export type RunOwn = <Result>(run: () => Promise<Result>) => Promise<Result>;
type Method = (...parameters: unknown[]) => Promise<unknown>;

/** Methods of the client that send no statement. All others may write: of a raw statement it is not known whether it does. */
const quiet: ReadonlySet<string> = new Set(['$connect', '$disconnect', '$on', '$extends']);
/** Methods of models that only read. */
const readers = /^(find|count|aggregate|groupBy)/;

/**
 * Makes a client each of whose writes waits for a turn. Reads of models and of entries do not wait.
 * @param runOwn waits for the turn
 */
export function ownClient(
  { prisma, statements }: { readonly prisma: DatabaseClient; readonly statements: EntryStatements },
  runOwn: RunOwn,
): EntryClient {
  const waiting = new Proxy(prisma, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof name !== 'string') return member;
      const sends = name.startsWith('$') && !quiet.has(name) && typeof member === 'function';
      if (sends) return waitBefore(member as Method, target, runOwn);
      const isModel = /^[a-z]/.test(name) && typeof member === 'object' && member !== null;
      return isModel ? ownModel(member, runOwn) : member;
    },
  });
  return withEntries(waiting, {
    read: (statement) => statements.read(statement),
    readPrepared: (statement) => statements.readPrepared(statement),
    write: (statement) => runOwn(() => statements.write(statement)),
  });
}

function ownModel(model: object, runOwn: RunOwn): object {
  return new Proxy(model, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || readers.test(String(name))) return member;
      return waitBefore(member as Method, target, runOwn);
    },
  });
}

/** A promise of Prisma sends its statement when it is awaited: here, that is when it is its turn. */
function waitBefore(method: Method, owner: object, runOwn: RunOwn): Method {
  return (...parameters) => runOwn<unknown>(async () => await Reflect.apply(method, owner, parameters));
}

// A client of Prisma whose statements are noted in the account of their request: how long they took, and how many rows they
// returned. A statement begins when its method is called; with Prisma alone it begins when its promise is awaited.
import type { RequestAccount } from '../telemetry/account.ts';

type Account = Pick<RequestAccount, 'measure'>;
type Method = (...parameters: unknown[]) => Promise<unknown>;

/** The methods of a client that send a statement. */
const statements = new Set<string | symbol>(['$queryRaw', '$executeRaw']);

/** Measures a client, or the client of a transaction. */
export function measureClient<Client extends object>(client: Client, account: Account): Client {
  return new Proxy(client, { get: (target, name) => measuredMember(target, name, account) });
}

/** A member of a client: a model or a statement is measured, anything else is returned as it is. */
export function measuredMember(client: object, name: string | symbol, account: Account): unknown {
  const member: unknown = Reflect.get(client, name);
  if (statements.has(name)) return measureMethod(member as Method, client, account);
  const isModel = typeof name === 'string' && /^[a-z]/.test(name) && typeof member === 'object' && member !== null;
  return isModel ? measureModel(member, account) : member;
}

function measureModel(model: object, account: Account): object {
  return new Proxy(model, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? measureMethod(member as Method, target, account) : member;
    },
  });
}

function measureMethod(method: Method, owner: object, account: Account): Method {
  return (...parameters) => account.measure(() => Reflect.apply(method, owner, parameters));
}

/** Runs one statement for several requests: each notes how long it took, and one row as its own. */
export async function measureTogether<Row>(accounts: readonly Account[], run: () => Promise<Row[]>): Promise<Row[]> {
  const running = run();
  const ownRow = running.then((rows) => rows.slice(0, 1));
  await Promise.all(accounts.map((account) => account.measure(() => ownRow)));
  return running;
}

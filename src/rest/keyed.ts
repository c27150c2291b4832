// Routes that may be sent again without being done again, by the `Idempotency-Key` of the request (docs/contract.md §5).
import type { WriteContext } from '../context.ts';
import { fail } from '../errors.ts';
import { answerOnce, type KeptAnswer } from '../resolvers/idempotency.ts';
import { sendKept } from './answers.ts';
import type { Exchange, Reading, RestRequest, Route, Row } from './handler.ts';

interface KeyedRow<Args, Result> extends Omit<Row<Args, Result>, 'resolver' | 'answer'> {
  /** How many operations a request asks for. */
  readonly operations: (args: Args) => number;
  /** Runs in a transaction where the request has a key. */
  readonly resolver: (parent: Record<string, never>, args: Args, context: WriteContext) => Promise<Result>;
  /** The answer to be sent, and to be kept. */
  readonly answer: (result: Result, exchange: Pick<Exchange, 'context' | 'status'>) => KeptAnswer;
}

/** A row of the table, as a route that honours keys. */
export function keyedRow<Args, Result>({
  toArgs,
  operations,
  resolver,
  answer,
  status,
  ...route
}: KeyedRow<Args, Result>): Route {
  return {
    ...route,
    read: (request): Reading => {
      const key = readKey(request.header('idempotency-key'));
      const args = toArgs(request);
      return {
        operations: operations(args),
        run: async ({ context, response, path }) => {
          const work = async (inner: WriteContext): Promise<KeptAnswer> =>
            answer(await resolver({}, args, inner), { context, status });
          const kept =
            key === undefined
              ? await work(context)
              : await answerOnce(context, { key, request: textOf(request, route.method, path) }, work);
          sendKept(kept, response);
        },
      };
    },
  };
}

/** @throws bad_request where it is no key */
function readKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  fail('bad_request', 'Idempotency-Key has 1 to 255 visible ASCII characters.');
}

/** All of a request that makes another one of it. */
function textOf({ query, body }: RestRequest, method: string, path: string): string {
  return JSON.stringify([method, path, [...query], body]);
}

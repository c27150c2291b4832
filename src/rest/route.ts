// A row of the REST table: how a request becomes the arguments of an operation, and its result a response.
import type { Limits } from '../config.ts';
import type { WriteContext } from '../context.ts';
import type { ListParameter } from '../inputs/listParameters.ts';
import { perform, type Entrance, type Operation } from '../resolvers/perform.ts';

/** A request, as rows see it. */
export interface RestRequest {
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  /** The parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The query parameters that the row knows, and `use_acl`. */
  readonly query: Readonly<Partial<Record<ListParameter, string>>>;
  /** All other parameters, where the row takes comparisons. */
  readonly filters: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | undefined;
  readonly body: unknown;
}

/** A response; without a body where that is null, else in JSON. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What a response is made from, beside the result. */
export interface Exchange<Input> {
  readonly request: RestRequest;
  /** The arguments, as the operation parsed them. */
  readonly input: Input;
  readonly context: WriteContext;
}

interface Row<Args, Input, Loaded, Done, Result> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The query parameters that it takes, beside `use_acl`. */
  readonly parameters: readonly ListParameter[];
  /** Whether every other parameter is a comparison. */
  readonly takesFilters?: boolean;
  /** Whether it honours `Idempotency-Key`. */
  readonly isKeyed?: boolean;
  readonly operation: Operation<Args, Input, Loaded, Done, Result>;
  readonly arguments: (request: RestRequest) => Args;
  readonly respond: (result: Result, exchange: Exchange<Input>) => RestResponse | Promise<RestResponse>;
}

/** What stands between the arguments and the operation: the site, the rate limits, an Idempotency-Key. */
export type Enter = (
  operations: number,
  work: (context: WriteContext) => Promise<RestResponse>,
) => Promise<RestResponse>;

/** A row whose operation, arguments and response fit each other. */
export interface Route extends Pick<Row<never, never, never, never, never>, 'method' | 'path' | 'parameters'> {
  readonly takesFilters: boolean;
  readonly isKeyed: boolean;
  /** Performs the operation. */
  readonly handle: (request: RestRequest, limits: Limits, enter: Enter) => Promise<RestResponse>;
}

/** Checks, by type, that the parts of a row fit. */
export function route<Args extends object, Input, Loaded, Done, Result>({
  method,
  path,
  parameters,
  takesFilters = false,
  isKeyed = false,
  operation,
  arguments: toArguments,
  respond,
}: Row<Args, Input, Loaded, Done, Result>): Route {
  const handle: Route['handle'] = (request, limits, enter) => {
    const entrance: Entrance<WriteContext, Input, Result, RestResponse> = {
      limits,
      enter: (input, operations, work) =>
        enter(operations, async (context) => respond(await work(context), { request, input, context })),
    };
    return perform(operation, toArguments(request), entrance);
  };
  return { method, path, parameters, takesFilters, isKeyed, handle };
}

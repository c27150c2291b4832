// From a row of the table to an Express handler: arguments, resolver, answer. Checks go in docs/contract.md §5's order: who is
// asking, what can't be understood, which site, and the rest in the resolver.
import { type Request, type RequestHandler, type Response } from 'express';
import { enter, identify, readUseAcl, type Context, type ContextDependencies, type Identity } from '../context.ts';
import type { Limits } from '../config.ts';
import { fail } from '../errors.ts';
import { jsonBody } from '../http/body.ts';
import { requestIdOf } from '../http/request.ts';
import { assertStorable } from '../inputs/json.ts';
import { readQuery, refuseUnknown, type Query } from '../http/query.ts';

/** A request, as rows see it. */
export interface RestRequest {
  /** Path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Query;
  /** Parameters that are comparisons, where the route takes such. */
  readonly filters: Query;
  readonly header: (name: string) => string | undefined;
  readonly body: unknown;
}

/** Sends a result. */
export type Answer<Result> = (result: Result, exchange: Exchange) => void | Promise<void>;

/** What an answer is made of besides its result. */
export interface Exchange {
  readonly request: RestRequest;
  readonly response: Response;
  readonly context: Context;
  /** The path of the request, without its query. */
  readonly path: string;
  readonly status: number;
}

export interface Row<Args, Result> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The status of success. */
  readonly status: number;
  /** Query parameters besides use_acl. */
  readonly parameters: readonly string[];
  /** Whether every other parameter is a comparison. */
  readonly takesFilters?: true;
  readonly toArgs: (request: RestRequest) => Args;
  readonly resolver: (parent: Record<string, never>, args: Args, context: Context) => Promise<Result>;
  readonly answer: Answer<Result>;
}

/** What a request asks for, once it was understood. */
export interface Reading {
  /** How many operations that is. */
  readonly operations: number;
  /** Does it in a context. */
  readonly run: (exchange: Omit<Exchange, 'status'>) => Promise<void>;
}

/** A row whose arguments and result were found to fit each other. */
export interface Route {
  readonly method: Row<never, never>['method'];
  readonly path: string;
  readonly parameters: readonly string[];
  readonly takesFilters?: true;
  /** Reads a request's arguments. @throws bad_request */
  readonly read: (request: RestRequest) => Reading;
}

/** A row of the table, as a route. */
export function row<Args, Result>({ toArgs, resolver, answer, status, ...route }: Row<Args, Result>): Route {
  return {
    ...route,
    read: (request) => {
      const args = toArgs(request);
      const run: Reading['run'] = async (exchange) =>
        answer(await resolver({}, args, exchange.context), { ...exchange, status });
      return { operations: 1, run };
    },
  };
}

/** The handlers of a route, in order. */
export function handlersOf(route: Route, dependencies: ContextDependencies): RequestHandler[] {
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE';
  return [
    async (request, response, next) => {
      response.locals['identity'] = await identify(request, dependencies);
      next();
    },
    ...(takesBody ? [requireJson, jsonBody({ limit: dependencies.limits.body, type: () => true })] : []),
    async (request, response) => {
      const restRequest = read(request, route, dependencies.limits);
      const useAcl = readUseAcl(restRequest.query.get('use_acl'));
      const { operations, run } = route.read(restRequest);
      const identity = response.locals['identity'] as Identity;
      const setHeaders = (headers: Record<string, string>): unknown => response.set(headers);
      const particulars = { useAcl, requestId: requestIdOf(response), setHeaders };
      const context = enter(request, identity, particulars, dependencies);
      await context.admit(operations);
      await run({ request: restRequest, response, context, path: request.path });
    },
  ];
}

function read(request: Request, { parameters, takesFilters }: Route, { json }: Limits): RestRequest {
  assertStorable(request.params, json, 'The path');
  assertStorable(request.body, json, 'The body');
  const { query, others } = readQuery(request.originalUrl, [...parameters, 'use_acl']);
  if (!takesFilters) refuseUnknown(others);
  return {
    parameters: request.params as Record<string, string>,
    query,
    filters: others,
    header: (name) => request.headersDistinct[name]?.join(', '),
    body: request.body as unknown,
  };
}

/** JSON in: another type of body, or none named, is 415. */
const requireJson: RequestHandler = (request, _response, next) => {
  const types = request.headersDistinct['content-type'] ?? [];
  if (types.length !== 1 || !/^application\/json\s*(;|$)/i.test(types[0]?.trim() ?? '')) {
    fail('unsupported_media_type', 'Send the body as application/json.');
  }
  next();
};

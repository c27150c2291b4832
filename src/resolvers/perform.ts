// Runs an operation: for REST, GraphQL, the operations of a bulk request, and commands that work on the database. The
// checks that every operation needs are made here, so that no operation can forget one; its duration and its outcome
// are recorded.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../config/config.ts';
import type { OperationClient } from '../entries/model.ts';
import { contextWith, type WriteContext } from './context.ts';
import { isUnavailable } from '../database/databaseErrors.ts';
import { fail, ServiceError, type ErrorCode } from '../base/errors.ts';
import { andThen, isPromise, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { assertStorable } from '../inputs/json.ts';
import { parsePreview, type PreviewArguments } from '../inputs/actor.ts';
import { operators, type CallerKind } from '../rules/callers.ts';
import type { RequestStats } from '../telemetry/requestStats.ts';
import { isTracing, runInOperationSpan, type SpanError } from '../telemetry/tracing.ts';
import {
  stale,
  type AnyManagementOperation,
  type InputOf,
  type Operation,
  type OperationContext,
  type ResultOf,
  type Scoped,
  type Stale,
  type Steps,
} from './operation.ts';
import { requireSiteRights } from './missingRight.ts';
import { requireScope } from './scopes/operationScopes.ts';
import { PerformingContext, resolveViewer, type ViewerRequest } from './viewer.ts';

/** The arguments of any operation that choose the viewer. */
interface SightArguments extends PreviewArguments {
  readonly useAcl?: unknown;
}

const parsed = Symbol('parsed');

/** Parsed arguments of an operation. Only `parse` makes them, and `performParsed` takes nothing else. */
export interface Parsed<S extends Steps> {
  readonly [parsed]: true;
  readonly input: InputOf<S>;
  /** The number of operations to count against the rate limits. */
  readonly operations: number;
  readonly sight: ViewerRequest;
}

/** The number of times that an operation starts over because of stale data, before its caller has to try again. */
const maxAttempts = 100;

/**
 * Parses the arguments of an operation.
 * @param args the arguments as they were sent. `useAcl: true` asks for access control on a master token; `as` and `at`
 *   ask for a preview
 * @param isStorable whether it is known already that the service can hold and store the texts in them
 * @throws bad_request
 */
export function parse<S extends Steps, C extends WriteContext>(
  operation: Operation<S, C>,
  args: S['args'],
  limits: Limits,
  isStorable: boolean,
): Parsed<S> {
  if (!isStorable) assertStorable(args, limits.json);
  const { as = null, at = null, useAcl }: SightArguments = args;
  // Management is done as the caller alone.
  const hasPreview = 'load' in operation && (as !== null || at !== null);
  // Arguments that an operation does not parse are taken as they are.
  const input = operation.parse === undefined ? (args as InputOf<S>) : operation.parse(args, limits);
  return {
    [parsed]: true,
    input,
    operations: 'countOperations' in operation ? operation.countOperations(input) : 1,
    sight: { useAcl: useAcl === true, preview: hasPreview ? parsePreview({ as, at }) : null },
  };
}

/**
 * Parses the arguments of an operation and performs it, for a request with an open context.
 * @param args the arguments as they were sent, not validated yet
 * @returns the result of `present`
 * @throws ServiceError of the first check that fails, in the order of docs/contract.md §5
 */
export function perform<S extends Steps, C extends WriteContext>(
  operation: Operation<S, C>,
  args: S['args'],
  context: C,
): Promise<ResultOf<S>> {
  const { isPart } = context.services;
  // The operations of a bulk request are counted, and its line in the log names the bulk alone.
  if (!isPart) context.stats.noteOperation(operation.name);
  return observe(operation, context.stats, async () =>
    // The arguments of a bulk request's operations were checked with the whole request.
    performParsed(operation, parse(operation, args, context.admission.limits, isPart), context),
  );
}

/**
 * Records the outcome and the duration of an operation, and traces it. @returns the result of `work` @throws its errors
 */
export function observe<Result>(
  { name }: { readonly name: string },
  stats: RequestStats,
  work: () => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  const working = isTracing ? runInOperationSpan(name, work, describeSpanError) : work();
  return working.then(
    (result) => {
      stats.endOperation(name, null, performance.now() - begun);
      return result;
    },
    (error: unknown) => {
      stats.own(error);
      stats.endOperation(name, codeFor(error), performance.now() - begun);
      throw error;
    },
  );
}

/** The code that callers will see for an error (src/http/fault.ts). */
function codeFor(error: unknown): ErrorCode {
  if (error instanceof ServiceError) return error.code;
  return isUnavailable(error) ? 'unavailable' : 'internal';
}

function describeSpanError(error: unknown): SpanError {
  const type = codeFor(error);
  return { type, isFault: type === 'internal' || type === 'unavailable' };
}

/**
 * Performs an operation, again from `load` on while the loaded data change meanwhile.
 * @returns the result of `present`
 * @throws forbidden for a caller that may not run it, and the errors of its steps; conflict if the data keep changing
 */
export async function performParsed<S extends Steps, C extends WriteContext>(
  operation: Operation<S, C>,
  { input, sight }: Parsed<S>,
  context: C,
): Promise<ResultOf<S>> {
  const { replicaDb, isPart } = context.services;
  // Operations within a transaction read in the transaction.
  const isOnReplica = 'mayReadReplicas' in operation && replicaDb !== null && !isPart;
  const given = isOnReplica ? readingAt(context, replicaDb) : context;
  const { callers }: { readonly callers: readonly CallerKind[] } = operation;
  if (!callers.includes(given.caller.kind)) refuseCaller(callers);
  if (given.caller.scopes !== null) {
    requireScope(scopeOf(operation), input, {
      caller: given.caller,
      actor: given.actor,
      isPreview: sight.preview !== null,
    });
  }
  const asked = { useAcl: given.useAcl || sight.useAcl, preview: sight.preview };
  const startOver = given.admission.budget.mark();
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const renewed = resolveViewer(given, asked);
    const sight = isPromise(renewed) ? await renewed : renewed;
    const attempted: WriteContext = new PerformingContext(given, asked, sight, attempt);
    const result = await runSteps(operation, input, attempted as OperationContext<C>);
    if (result !== stale) return result;
    startOver();
    // A random pause, so that colliding writers do not collide again.
    await sleep(Math.random() * Math.min(attempt, 25) * 2);
  }
  fail('conflict', 'Other requests kept changing the same data first. Try again.');
}

/** The needs of an operation of a token's scopes; undefined where it does not say, so that no such token may run it. */
export function scopeOf<S extends Steps, C extends WriteContext>(
  operation: Operation<S, C>,
): Scoped<InputOf<S>> | undefined {
  return 'load' in operation ? operation.scope : (operation.scope ?? operation.needs);
}

/** Runs the steps behind `parse` once. @returns the result; stale if the loaded data have changed meanwhile */
function runSteps<S extends Steps, C extends WriteContext>(
  operation: Operation<S, C>,
  input: InputOf<S>,
  context: OperationContext<C>,
): PromiseOrValue<ResultOf<S> | Stale> {
  if (!('load' in operation)) {
    requireNeeds(operation, input, context);
    return runManagement(operation, input, context);
  }
  return andThen(operation.load(input, context), (loaded) => {
    const { authorize } = operation;
    if (authorize !== 'byPredicate' && authorize !== 'byParts') authorize(loaded, input, context);
    return andThen(operation.run(loaded, input, context), (done) =>
      done === stale ? stale : operation.present(done, loaded, input, context),
    );
  });
}

/**
 * Requires the rights that a management operation needs of a member, as the member has them now.
 * @throws forbidden
 */
function requireNeeds<S extends Steps, C extends WriteContext>(
  { needs }: AnyManagementOperation<S, C>,
  input: InputOf<S>,
  context: OperationContext<C>,
): void {
  const { caller } = context;
  if (caller.kind !== 'user') return;
  if (needs === undefined) refuseCaller(operators);
  requireSiteRights(caller, typeof needs === 'function' ? needs(input, context) : needs);
}

async function runManagement<S extends Steps, C extends WriteContext>(
  { run, present }: AnyManagementOperation<S, C>,
  input: InputOf<S>,
  context: OperationContext<C>,
): Promise<ResultOf<S> | Stale> {
  const done = await run(input, context);
  if (done === stale) return stale;
  return present === undefined ? (done as ResultOf<S>) : present(done, input, context);
}

/** The context with which entries are read from a standby. */
function readingAt<C extends WriteContext>(context: C, db: OperationClient): C {
  const { directory, assignPositions, rebuild, recordSights, webhooks } = context.services;
  const services = { db, replicaDb: db, isPart: false, directory, assignPositions, rebuild, recordSights, webhooks };
  return contextWith(context, services) as C;
}

function refuseCaller(callers: readonly CallerKind[]): never {
  fail(
    'forbidden',
    callers.includes('user')
      ? 'This operation needs a master or a user token.'
      : callers.includes('master')
        ? 'This operation needs a master token.'
        : 'No token may run this operation.',
  );
}

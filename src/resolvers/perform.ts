// Runs an operation: for REST, GraphQL, the parts of a bulk request, and commands that work on the database. The checks that
// every operation needs are made here, so that no operation can forget one, and how long it takes and how it ends is noted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../config/config.ts';
import type { OperationClient } from '../entries/model.ts';
import { contextWith, type Context, type WriteContext } from './context.ts';
import { isUnavailable } from '../database/databaseErrors.ts';
import { fail, ServiceError, type ErrorCode } from '../base/errors.ts';
import { assertStorable } from '../inputs/json.ts';
import { parsePreview, type PreviewArguments } from '../inputs/actor.ts';
import type { CallerKind, Viewer } from '../rules/callers.ts';
import type { RequestAccount } from '../telemetry/account.ts';
import { runInOperationSpan, type SpanError } from '../telemetry/tracing.ts';
import { createReferenceLoader } from './load.ts';
import {
  stale,
  type AnyManagementOperation,
  type InputOf,
  type Operation,
  type OperationContext,
  type ResultOf,
  type Stale,
  type Steps,
} from './operation.ts';
import { renewSight } from './sight.ts';

/** The arguments, of any operation, that say as whom it reads. */
interface SightArguments extends PreviewArguments {
  readonly useAcl?: unknown;
}

/** Checks that can be made only once the arguments are parsed: the site, the rate limits, an Idempotency-Key. */
export interface Entrance<S extends Steps, C extends WriteContext, Answer> {
  readonly limits: Limits;
  /** Notes the operation. */
  readonly stats: RequestAccount;
  /**
   * Makes the checks and the context, and runs `work` in it.
   * @param operations how many operations count against the rate limits
   * @param work performs the steps from `load` on
   */
  readonly enter: (
    input: InputOf<S>,
    operations: number,
    work: (context: C) => Promise<ResultOf<S>>,
  ) => Promise<Answer>;
}

/** How often an operation starts over because of stale data, before its caller is told to try again. */
const maxAttempts = 100;

/**
 * Runs an operation.
 * @param args the arguments as they were sent, not validated yet. `useAcl: true` asks for access control on a master token;
 *   `as` and `at` ask for a preview
 * @param within the context, or the entrance that makes one
 * @returns what `present` or the entrance returns
 * @throws ServiceError of the first check that fails, in the order of docs/contract.md §5
 */
export function perform<S extends Steps, C extends WriteContext>(
  operation: Operation<S, C>,
  args: S['args'],
  within: C,
): Promise<ResultOf<S>>;
export function perform<S extends Steps, C extends WriteContext, Answer>(
  operation: Operation<S, C>,
  args: S['args'],
  within: Entrance<S, C, Answer>,
): Promise<Answer>;
export async function perform<S extends Steps, C extends WriteContext, Answer>(
  operation: Operation<S, C>,
  args: S['args'],
  within: C | Entrance<S, C, Answer>,
): Promise<ResultOf<S> | Answer> {
  const { name } = operation;
  const begun = performance.now();
  let code: ErrorCode | null = null;
  // The parts of a bulk request are counted, and its line in the log names the bulk alone.
  if (!isPartOfOther(within)) within.stats.noteOperation(name);
  try {
    return await runInOperationSpan(name, () => performSteps(operation, args, within), describeSpanError);
  } catch (error) {
    code = codeFor(error);
    within.stats.own(error);
    throw error;
  } finally {
    within.stats.endOperation(name, code, performance.now() - begun);
  }
}

/** Whether an operation is a part of another one, with which its arguments were checked. */
function isPartOfOther(within: WriteContext | Pick<Entrance<Steps, WriteContext, unknown>, 'limits'>): boolean {
  return 'services' in within && within.services.isPart;
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

async function performSteps<S extends Steps, C extends WriteContext, Answer>(
  operation: Operation<S, C>,
  args: S['args'],
  within: C | Entrance<S, C, Answer>,
): Promise<ResultOf<S> | Answer> {
  // The arguments of a bulk request's parts were checked with the whole request.
  const limits = 'enter' in within ? within.limits : within.admission.limits;
  if (!isPartOfOther(within)) assertStorable(args, limits.json);
  const input = parseArguments(operation, args, limits);
  const { as = null, at = null, useAcl }: SightArguments = args;
  const preview = as === null && at === null ? null : parsePreview({ as, at });
  const { callers }: { readonly callers: readonly CallerKind[] } = operation;
  const work = async (entered: C): Promise<ResultOf<S>> => {
    const { replicaDb, isPart } = entered.services;
    // Parts of a transaction read in the transaction.
    const isOnReplica = 'mayReadReplicas' in operation && replicaDb !== null && !isPart;
    const given = isOnReplica ? readingAt(entered, replicaDb) : entered;
    if (!callers.includes(given.caller.kind)) refuseCaller(callers);
    const asked = { useAcl: given.useAcl || useAcl === true, preview };
    const startOver = given.admission.budget.mark();
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { caller, now, viewer } = await renewSight(given, asked);
      const renewViewer = async (): Promise<Viewer> => (await renewSight(given, asked, now)).viewer;
      const references = createReferenceLoader(given, renewViewer);
      const context = addScope(given, { caller, now, viewer, preview, renewViewer, references, attempt });
      const result = await runSteps(operation, input, context);
      if (result !== stale) return result;
      startOver();
      // A random pause, so that colliding writers do not collide again.
      await sleep(Math.random() * Math.min(attempt, 25) * 2);
    }
    fail('conflict', 'Other requests kept changing the same data first. Try again.');
  };
  const operations = 'countOperations' in operation ? operation.countOperations(input) : 1;
  return 'enter' in within ? within.enter(input, operations, work) : work(within);
}

/** Arguments that an operation does not parse are taken as they are. */
function parseArguments<S extends Steps, C extends WriteContext>(
  operation: Operation<S, C>,
  args: S['args'],
  limits: Limits,
): InputOf<S> {
  const { parse } = operation;
  return parse === undefined ? (args as InputOf<S>) : parse(args, limits);
}

/** Runs the steps behind `parse` once. @returns the result; stale: the loaded data have changed meanwhile */
async function runSteps<S extends Steps, C extends WriteContext>(
  operation: Operation<S, C>,
  input: InputOf<S>,
  context: OperationContext<C>,
): Promise<ResultOf<S> | Stale> {
  if (!('load' in operation)) return runManagement(operation, input, context);
  const loaded = await operation.load(input, context);
  const { authorize } = operation;
  if (authorize !== 'byPredicate' && authorize !== 'byParts') authorize(loaded, input, context);
  const done = await operation.run(loaded, input, context);
  return done === stale ? stale : operation.present(done, loaded, input, context);
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

/** What an operation knows besides its request. */
type OperationScope = Pick<OperationContext, ScopeMember>;
type ScopeMember = 'caller' | 'now' | 'viewer' | 'preview' | 'renewViewer' | 'references' | 'attempt';

/**
 * The context of an operation's steps. It names every member, because V8 takes twenty times as long for a literal that spreads a
 * large object and adds to it, and every request passes here.
 */
function addScope<C extends WriteContext>(given: C, scope: OperationScope): OperationContext<C> {
  const { caller, now, viewer, preview, renewViewer, references, attempt } = scope;
  const context: Record<keyof Context | ScopeMember, unknown> = {
    site: given.site,
    caller,
    now,
    actor: given.actor,
    useAcl: given.useAcl,
    baseUrl: given.baseUrl,
    admission: given.admission,
    stats: given.stats,
    services: given.services,
    viewer,
    preview,
    renewViewer,
    references,
    attempt,
  };
  return context as OperationContext<C>;
}

/** The context with which entries are read from a standby. */
function readingAt<C extends WriteContext>(context: C, db: OperationClient): C {
  const { directory, placeChanges, rebuild, recordSights, webhooks } = context.services;
  const services = { db, replicaDb: db, isPart: false, directory, placeChanges, rebuild, recordSights, webhooks };
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

// Runs an operation: for REST, GraphQL, the parts of a bulk request, and commands that work on the database. The checks that
// every operation needs are made here, so that no operation can forget one, and how long it takes and how it ends is noted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../config/config.ts';
import type { Context, WriteContext } from './context.ts';
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
  readonly isPart?: undefined;
  readonly limits: Limits;
  /** Notes the operation. */
  readonly account: RequestAccount;
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
  if (within.isPart !== true) within.account.noteOperation(name);
  try {
    return await runInOperationSpan(name, () => performSteps(operation, args, within), describeSpanError);
  } catch (error) {
    code = codeFor(error);
    within.account.own(error);
    throw error;
  } finally {
    within.account.endOperation(name, code, performance.now() - begun);
  }
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
  if (within.isPart !== true) assertStorable(args, within.limits.json);
  const input = parseArguments(operation, args, within.limits);
  const { as = null, at = null, useAcl }: SightArguments = args;
  const preview = as === null && at === null ? null : parsePreview({ as, at });
  const { callers }: { readonly callers: readonly CallerKind[] } = operation;
  const work = async (entered: C): Promise<ResultOf<S>> => {
    // Parts of a transaction read in the transaction.
    const isOnReplica =
      'mayReadReplicas' in operation && entered.services.replicaDb !== undefined && entered.services.isPart !== true;
    const given = isOnReplica ? { ...entered, db: entered.services.replicaDb } : entered;
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
    session: given.actor.sessionId,
    rights: given.admission.rights,
    useAcl: given.useAcl,
    db: given.services.db,
    replicaDb: given.services.replicaDb,
    isPart: given.services.isPart,
    directory: given.services.directory,
    requestId: given.stats.requestId,
    baseUrl: given.baseUrl,
    limits: given.admission.limits,
    budget: given.admission.budget,
    account: given.stats,
    keyHolder: given.admission.keyHolder,
    placeChanges: given.services.placeChanges,
    rebuild: given.services.rebuild,
    recordSights: given.services.recordSights,
    webhooks: given.services.webhooks,
    admit: given.admission.admit,
    holdOpen: given.admission.holdOpen,
    viewer,
    preview,
    renewViewer,
    references,
    attempt,
  };
  return context as OperationContext<C>;
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

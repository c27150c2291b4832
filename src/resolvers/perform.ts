// Runs an operation: for REST, GraphQL, the parts of a bulk request, and commands that work on the database. The checks that
// every operation needs are made here, so that no operation can forget one, and how long it takes and how it ends is noted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../config/config.ts';
import type { Context, WriteContext } from './context.ts';
import { isUnavailable } from '../database/databaseErrors.ts';
import { fail, ServiceError, type ErrorCode } from '../base/errors.ts';
import { assertStorable } from '../inputs/json.ts';
import { parsePreview, type PreviewArguments } from '../inputs/actor.ts';
import type { CallerKind, Preview, Viewer } from '../rules/callers.ts';
import type { ReferenceSource } from '../serializers/entry.ts';
import type { RequestAccount } from '../telemetry/account.ts';
import { runInOperationSpan, type SpanError } from '../telemetry/tracing.ts';
import { createReferenceLoader } from './load.ts';
import { renewSight } from './sight.ts';

/** Returned by `run` if another writer changed the loaded data meanwhile: the operation then starts over with `load`. */
export const stale = Symbol('stale');
export type Stale = typeof stale;

/**
 * What the steps of an operation know: the request, the viewer, and the number of the attempt, from 0. In a preview `caller` is
 * the actor whom it names, and `viewer` what that actor sees.
 */
export type OperationContext<C extends WriteContext = WriteContext> = C & {
  readonly viewer: Viewer;
  /** null: the caller reads for itself. */
  readonly preview: Preview | null;
  /** The viewer with its present rights, for reads after the operation's first statements. */
  readonly renewViewer: () => Promise<Viewer>;
  readonly references: ReferenceSource;
  readonly attempt: number;
};

/** An operation: its steps `parse` to `present` run in this order, and each receives the results of those before it. */
export interface Operation<Args, Input, Loaded, Done, Result, C extends WriteContext = WriteContext> {
  /** Its name in `operations` (index.ts), by which the log, the metrics and traces call it. */
  readonly name: string;
  /** The kinds of callers that may run it at all. Others are refused before anything is loaded. */
  readonly callers: readonly CallerKind[];
  /** How many operations it counts as against the rate limits; absent: one. */
  readonly countOperations?: (input: Input) => number;
  /** Validates the arguments. `limits` bounds JSON that is found only here, as in a text parameter. @throws bad_request */
  readonly parse: (args: Args, limits: Limits) => Input;
  /** Loads the data that the viewer may see. @throws not_found; bad_request for arguments that do not fit the channel */
  readonly load: (input: Input, context: OperationContext<C>) => Promise<Loaded>;
  /** Checks the rules of access. @throws forbidden, precondition_failed; not_found for what the viewer may not see */
  readonly authorize: (loaded: Loaded, input: Input, context: OperationContext<C>) => void;
  /** Carries it out, if the loaded data are unchanged. @throws validation_failed with every error; conflict */
  readonly run: (loaded: Loaded, input: Input, context: OperationContext<C>) => Promise<Done | Stale>;
  /** Selects what the viewer may know of the outcome. */
  readonly present: (
    done: Done,
    loaded: Loaded,
    input: Input,
    context: OperationContext<C>,
  ) => Result | Promise<Result>;
  /** Whether its reads of entries may be answered by a standby, where the caller's may (docs/contract.md §13.7); absent: not. */
  readonly mayReadReplicas?: true;
  /** Whether anything was stored, by the result; absent: always. Other responses are not kept for an Idempotency-Key. */
  readonly stores?: (result: Result) => boolean;
}

/** The arguments, of any operation, that say as whom it reads. */
interface SightArguments extends PreviewArguments {
  readonly useAcl?: unknown;
}

/** Checks that can be made only once the arguments are parsed: the site, the rate limits, an Idempotency-Key. */
export interface Entrance<C extends WriteContext, Input, Result, Answer> {
  readonly isPart?: undefined;
  readonly limits: Limits;
  /** Notes the operation. */
  readonly account: RequestAccount;
  /**
   * Makes the checks and the context, and runs `work` in it.
   * @param operations how many operations count against the rate limits
   * @param work performs the steps from `load` on
   */
  readonly enter: (input: Input, operations: number, work: (context: C) => Promise<Result>) => Promise<Answer>;
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
export function perform<Args extends object, Input, Loaded, Done, Result, C extends WriteContext>(
  operation: Operation<Args, Input, Loaded, Done, Result, C>,
  args: Args,
  within: C,
): Promise<Result>;
export function perform<Args extends object, Input, Loaded, Done, Result, C extends WriteContext, Answer>(
  operation: Operation<Args, Input, Loaded, Done, Result, C>,
  args: Args,
  within: Entrance<C, Input, Result, Answer>,
): Promise<Answer>;
export async function perform<Args extends object, Input, Loaded, Done, Result, C extends WriteContext, Answer>(
  operation: Operation<Args, Input, Loaded, Done, Result, C>,
  args: Args,
  within: C | Entrance<C, Input, Result, Answer>,
): Promise<Result | Answer> {
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

async function performSteps<Args extends object, Input, Loaded, Done, Result, C extends WriteContext, Answer>(
  operation: Operation<Args, Input, Loaded, Done, Result, C>,
  args: Args,
  within: C | Entrance<C, Input, Result, Answer>,
): Promise<Result | Answer> {
  // The arguments of a bulk request's parts were checked with the whole request.
  if (within.isPart !== true) assertStorable(args, within.limits.json);
  const input = operation.parse(args, within.limits);
  const { as = null, at = null, useAcl }: SightArguments = args;
  const preview = as === null && at === null ? null : parsePreview({ as, at });
  const work = async (entered: C): Promise<Result> => {
    // Parts of a transaction read in the transaction.
    const isOnReplica =
      operation.mayReadReplicas === true &&
      entered.services.replicaDb !== undefined &&
      entered.services.isPart !== true;
    const given = isOnReplica ? { ...entered, db: entered.services.replicaDb } : entered;
    if (!operation.callers.includes(given.caller.kind)) refuseCaller(operation.callers);
    const asked = { useAcl: given.useAcl || useAcl === true, preview };
    const startOver = given.admission.budget.mark();
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { caller, now, viewer } = await renewSight(given, asked);
      const renewViewer = async (): Promise<Viewer> => (await renewSight(given, asked, now)).viewer;
      const references = createReferenceLoader(given, renewViewer);
      const context = addScope(given, { caller, now, viewer, preview, renewViewer, references, attempt });
      const loaded = await operation.load(input, context);
      operation.authorize(loaded, input, context);
      const done = await operation.run(loaded, input, context);
      if (done !== stale) return operation.present(done, loaded, input, context);
      startOver();
      // A random pause, so that colliding writers do not collide again.
      await sleep(Math.random() * Math.min(attempt, 25) * 2);
    }
    fail('conflict', 'Other requests kept changing the same data first. Try again.');
  };
  return 'enter' in within ? within.enter(input, operation.countOperations?.(input) ?? 1, work) : work(within);
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

/** The step `authorize` of operations that `callers` alone restricts, or whose `load` finds only what the viewer may see. */
export function authorizedByLoad(): void {
  // There is nothing left to check.
}

/** The step `load` of operations that need no stored data. */
export function loadNothing(): Promise<null> {
  return Promise.resolve(null);
}

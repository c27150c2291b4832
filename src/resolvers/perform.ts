// Performing an operation: the one way to run one, for both doors, for the parts of a bulk request and for commands that
// work on the database. What holds for every operation stands here, so that no operation can forget it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../config.ts';
import type { WriteContext } from '../context.ts';
import { fail } from '../errors.ts';
import { assertStorable } from '../inputs/json.ts';
import { type CallerKind, makeViewer, type Viewer } from '../rules/callers.ts';
import { createReferenceLoader } from './load.ts';
import type { ReferenceSource } from '../serializers/entry.ts';

/** What `run` gives where others changed, after `load`, what it was decided on: the operation is decided once more. */
export const stale = Symbol('stale');
export type Stale = typeof stale;

/** What the steps of an operation know: its request, the viewer, and which attempt this is (from 0). */
export type OperationContext<C extends WriteContext = WriteContext> = C & {
  readonly viewer: Viewer;
  /** The viewer with the rights that it has by now, for what is read after the operation's first statements. */
  readonly renewViewer: () => Promise<Viewer>;
  readonly references: ReferenceSource;
  readonly attempt: number;
};

/** An operation: five steps, in the order in which they run. Each gets what the steps before it gave. */
export interface Operation<Args, Input, Loaded, Done, Result, C extends WriteContext = WriteContext> {
  /** The kinds of callers that may ask for it at all. Others are refused before anything is loaded. */
  readonly callers: readonly CallerKind[];
  /** As how many operations it counts against the rate limits; absent: as one. */
  readonly countOperations?: (input: Input) => number;
  /** Arguments → a trusted value. `limits` is for what only parsing shows, such as JSON in a text. @throws bad_request */
  readonly parse: (args: Args, limits: Limits) => Input;
  /** What it is about, as the viewer may see it. @throws not_found; bad_request for what only a channel can tell */
  readonly load: (input: Input, context: OperationContext<C>) => Promise<Loaded>;
  /** Lets the viewer pass, by the rules. @throws forbidden, precondition_failed; not_found for what it may not see */
  readonly authorize: (loaded: Loaded, input: Input, context: OperationContext<C>) => void;
  /** Does it, on the condition that what was loaded is still so. @throws validation_failed with every error; conflict */
  readonly run: (loaded: Loaded, input: Input, context: OperationContext<C>) => Promise<Done | Stale>;
  /** What the viewer may know of the outcome. */
  readonly present: (
    done: Done,
    loaded: Loaded,
    input: Input,
    context: OperationContext<C>,
  ) => Result | Promise<Result>;
}

/** A door that has more to check once the arguments are understood: the site, the rate, an Idempotency-Key. */
export interface Entrance<C extends WriteContext, Input, Result, Answer> {
  readonly limits: Limits;
  /** @param operations as how many the operation counts @param work performs the steps from `load` on in a context */
  readonly enter: (input: Input, operations: number, work: (context: C) => Promise<Result>) => Promise<Answer>;
}

/** How often a write is decided on before its caller is told to try again. */
const maxAttempts = 100;

/**
 * Runs an operation.
 * @param args as a door has read them: nothing is known of them yet. `useAcl: true` asks for access control on a master token
 * @param within the context, or the entrance that makes one
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
  // The arguments of a part were checked as those of the whole.
  if (!('isPart' in within)) assertStorable(args, within.limits.json);
  const input = operation.parse(args, within.limits);
  const work = async (given: C): Promise<Result> => {
    if (!operation.callers.includes(given.caller.kind)) refuseCaller(operation.callers);
    const useAcl = given.useAcl || ('useAcl' in args && args.useAcl === true);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { caller, now } = await given.rights.renew();
      const viewer = makeViewer(caller, useAcl, now);
      const renewViewer = async (): Promise<Viewer> => makeViewer((await given.rights.renew()).caller, useAcl, now);
      const references = createReferenceLoader(given, renewViewer);
      const context = { ...given, caller, now, viewer, renewViewer, references, attempt };
      const loaded = await operation.load(input, context);
      operation.authorize(loaded, input, context);
      const done = await operation.run(loaded, input, context);
      if (done !== stale) return operation.present(done, loaded, input, context);
      // Writers that collide wait for different times, so that they do not collide again.
      await sleep(Math.random() * Math.min(attempt, 25) * 2);
    }
    fail('conflict', 'Others kept changing the same thing first. Try again.');
  };
  return 'enter' in within ? within.enter(input, operation.countOperations?.(input) ?? 1, work) : work(within);
}

function refuseCaller(callers: readonly CallerKind[]): never {
  fail('forbidden', callers.includes('master') ? 'This needs a master token.' : 'This token may not do this.');
}

/** The step `authorize` of operations whose callers are all that decides, or whose `load` sees what the viewer may see. */
export function authorizedByLoad(): void {
  // There is nothing left to decide.
}

/** The step `load` of operations that are about nothing that exists. */
export function loadNothing(): Promise<null> {
  return Promise.resolve(null);
}

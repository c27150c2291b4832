// The types of operations: values of two kinds, which perform.ts runs. An entry operation decides about entries, or is
// open to public tokens: each of its steps has to be there. A management operation is open only to callers who manage.
import type { Limits } from '../config/config.ts';
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import type { CallerKind, ManagingKind, Preview, Viewer } from '../rules/callers.ts';
import type { EntryRight, SiteRight } from '../rules/rights.ts';
import type { ReferenceSource } from '../serializers/entry.ts';
import type { Context, WriteContext } from './context.ts';

/**
 * Returned by `run` if another writer changed the loaded data meanwhile: the operation then starts over behind `parse`.
 */
export const stale = Symbol('stale');
export type Stale = typeof stale;

/**
 * The context of an operation's steps: the request, the viewer, and the number of the attempt, from 0. In a preview
 * `caller` is the named actor, and `viewer` what that actor sees.
 */
export type OperationContext<C extends WriteContext = WriteContext> = C & {
  readonly viewer: Viewer;
  /** null if the caller reads on its own behalf. */
  readonly preview: Preview | null;
  /** The viewer with its present rights, for reads after the operation's first statements. */
  readonly renewViewer: () => PromiseOrValue<Viewer>;
  readonly references: ReferenceSource;
  readonly attempt: number;
};

/** The types of the arguments and results of an operation's steps. Entry operations name all of them. */
export interface Steps {
  /** The arguments as they were sent. */
  args: object;
  /** The validated arguments; if not named, the arguments are taken as they are. */
  input?: unknown;
  /** Management operations load nothing before they run. */
  loaded?: unknown;
  done: unknown;
  /** The part of `done` that the caller may know; if not named, all of it. */
  result?: unknown;
}

export type InputOf<S extends Steps> = S extends { input: infer Input } ? Input : S['args'];
export type ResultOf<S extends Steps> = S extends { result: infer Result } ? Result : S['done'];
type LoadedOf<S extends Steps> = S extends { loaded: infer Loaded } ? Loaded : never;

interface AnyOperation<S extends Steps> {
  /** Its name in the list of its feature (src/features/feature.ts), and in the log, the metrics and traces. */
  readonly name: string;
  /** The kinds of callers that may run it at all. Others are refused before anything is loaded. */
  readonly callers: readonly CallerKind[];
  /** Whether a result stored anything; absent if each does. Other responses are not kept for an Idempotency-Key. */
  readonly stores?: (result: ResultOf<S>) => boolean;
}

/**
 * The needs of an operation of the scopes of a token that has some (docs/contract.md §14.5): `perform` asks them. `nothing`: it is about the
 * token itself, or tells of what exists to it alone. `never`: such a token may not run it.
 */
export type Scoped<Input> = 'nothing' | 'never' | Needs<Input> | ScopedEntries<Input>;

/** The need of an operation on the entries of a channel: one of some rights. */
export interface ScopedEntries<Input> {
  readonly onEntries: readonly EntryRight[];
  /** The channel that the input names; null for any. */
  readonly inChannel: (input: Input) => string | null;
  /** The rights among these that an input needs, the first of which a refusal names; absent for all. */
  readonly ofInput?: (input: Input) => readonly EntryRight[];
  /** Whether a right to own entries will do; absent for yes, except in a preview. */
  readonly isOfOwn?: boolean;
}

/** A right on the entries of the channel that the input names. */
export function onEntries(right: EntryRight, isOfOwn?: boolean): ScopedEntries<{ readonly channel: string | null }> {
  return { onEntries: [right], inChannel: ({ channel }) => channel, ...(isOfOwn !== undefined && { isOfOwn }) };
}

/** The steps of an operation on entries, which run in this order: each receives the results of the earlier ones. */
interface AnyEntryOperation<S extends Steps, C extends WriteContext> extends AnyOperation<S> {
  /** The needs of a token's scopes. */
  readonly scope: Scoped<InputOf<S>>;
  /**
   * Validates the arguments. `limits` bounds JSON that is found only here, as in a text parameter. @throws bad_request
   */
  readonly parse: (args: S['args'], limits: Limits) => InputOf<S>;
  /**
   * Loads the data that the viewer may see. @throws not_found; bad_request for arguments that do not fit the channel
   */
  readonly load: (input: InputOf<S>, context: OperationContext<C>) => PromiseOrValue<LoadedOf<S>>;
  /** Selects the part of the outcome that the viewer may know. */
  readonly present: (
    done: S['done'],
    loaded: LoadedOf<S>,
    input: InputOf<S>,
    context: OperationContext<C>,
  ) => PromiseOrValue<ResultOf<S>>;
}

/**
 * Checks the rules of access. @throws forbidden, precondition_failed; not_found for entries that the viewer may not see
 */
type Authorize<S extends Steps, C extends WriteContext> = (
  loaded: LoadedOf<S>,
  input: InputOf<S>,
  context: OperationContext<C>,
) => void;

/** A read. Of all kinds, only a read may leave the decision to the predicate of its statements. */
export interface EntryRead<S extends Steps, C extends WriteContext = WriteContext> extends AnyEntryOperation<S, C> {
  readonly authorize: Authorize<S, C> | 'byPredicate';
  readonly run: (loaded: LoadedOf<S>, input: InputOf<S>, context: OperationContext<C>) => PromiseOrValue<S['done']>;
  /**
   * Whether a standby may answer its reads of entries, if one may answer the caller's (docs/contract.md §13.7); absent
   * for no.
   */
  readonly mayReadReplicas?: true;
}

/** A write. */
export interface EntryWrite<S extends Steps, C extends WriteContext = WriteContext> extends AnyEntryOperation<S, C> {
  readonly authorize: Authorize<S, C>;
  /** Carries it out, if the loaded data are unchanged. @throws validation_failed with every error; conflict */
  readonly run: (loaded: LoadedOf<S>, input: InputOf<S>, context: OperationContext<C>) => Promise<S['done'] | Stale>;
}

/** A write that performs other operations, each of which is authorized by itself. */
export interface EntryBatch<S extends Steps, C extends WriteContext = WriteContext> extends AnyEntryOperation<S, C> {
  readonly authorize: 'byParts';
  /** The number of operations that it counts as against the rate limits. Any other operation counts as one. */
  readonly countOperations: (input: InputOf<S>) => number;
  readonly run: (loaded: LoadedOf<S>, input: InputOf<S>, context: OperationContext<C>) => Promise<S['done']>;
}

/** Any operation that public tokens may run. */
export type EntryOperation<S extends Steps, C extends WriteContext = WriteContext> =
  EntryRead<S, C> | EntryWrite<S, C> | EntryBatch<S, C>;

/**
 * The rights on the site that a member needs to run an operation: `perform` requires them, of user tokens without a customer's
 * session. Rights that depend on stored rows are required where these are read, too.
 */
export type Needs<Input> =
  readonly SiteRight[] | ((input: Input, context: Pick<WriteContext, 'actor'>) => readonly SiteRight[]);

/** A management operation that may lack `parse` and `present`, as `perform` sees it. */
export interface AnyManagementOperation<S extends Steps, C extends WriteContext> extends AnyOperation<S> {
  /** Public tokens are not among them: the kind of the caller and its rights on the site decide whether it may run. */
  readonly callers: readonly ManagingKind[];
  /** The rights that a member needs to run it. Without them `perform` refuses every user token. */
  readonly needs?: Needs<InputOf<S>> | undefined;
  /** The needs of a token's scopes, if these are not `needs`. Without either `perform` refuses every token with scopes. */
  readonly scope?: Scoped<InputOf<S>> | undefined;
  /** Validates the arguments. @throws bad_request */
  readonly parse?: ((args: S['args'], limits: Limits) => InputOf<S>) | undefined;
  /**
   * Finds the object of a write, as `run` does. It runs in place of `run` if a request's precondition does not hold, so
   * that a missing object is a 404 and all else a 412 (docs/contract.md §5.10); absent for a 412 in any case.
   */
  readonly find?: (input: InputOf<S>, context: OperationContext<C>) => PromiseOrValue<unknown>;
  /** Carries it out. @throws not_found; validation_failed with every error; conflict */
  readonly run: (input: InputOf<S>, context: OperationContext<C>) => Promise<S['done'] | Stale>;
  /** Selects the part of the outcome that the caller may know. */
  readonly present?:
    ((done: S['done'], input: InputOf<S>, context: OperationContext<C>) => PromiseOrValue<ResultOf<S>>) | undefined;
}

/** Requires the step whose outcome the types name, and forbids one whose outcome they do not name. */
type NamedStep<S extends Steps, C extends WriteContext, Outcome extends keyof Steps, Step extends 'parse' | 'present'> =
  S extends Record<Outcome, unknown>
    ? Required<Pick<AnyManagementOperation<S, C>, Step>>
    : Readonly<Partial<Record<Step, undefined>>>;

/** An operation for callers who manage a site or the database. */
export type ManagementOperation<S extends Steps, C extends WriteContext = Context> = AnyManagementOperation<S, C> &
  NamedStep<S, C, 'input', 'parse'> &
  NamedStep<S, C, 'result', 'present'>;

/** @typeParam C the context that it can run in */
export type Operation<S extends Steps, C extends WriteContext = Context> =
  EntryOperation<S, C> | ManagementOperation<S, C>;

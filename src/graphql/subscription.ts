// Subscriptions (docs/contract.md §9.2): graphql-js makes the stream of pages, and each change of a page is executed as an
// operation of its own, once for all who send the same document and are told the same.
import {
  createSourceEventStream,
  getVariableValues,
  GraphQLError,
  print,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { ChangesArguments } from '../features/changes/input.ts';
import { formatEvent, maxSilence, packEvents } from '../http/eventStream.ts';
import {
  followChanges,
  findStreamStart,
  streamLimit,
  whileHeld,
  type TextPart,
  type Told,
} from '../features/changes/follow.ts';
import type { Writing } from '../features/changes/seats.ts';
import type { PageForm } from '../features/changes/readerships.ts';
import { toldErrors } from './errors.ts';
import { execute, libraryOptions, stringifyResult, type GraphqlResult } from './executor/execute.ts';
import type { GraphqlContext } from './idempotency.ts';
import { planOperation } from './executor/plan.ts';

/** A subscription of a valid document. */
export interface Subscribing {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly context: GraphqlContext;
}

/** The results of a subscription: events without errors as bytes, others as JSON; null: a sign that it lives. */
export type SubscriptionResults = AsyncIterable<TextPart<Uint8Array | string> | null>;

/** The name of the event that has a result. */
export const resultEvent = 'next';

/** The results of a page, for all who are told the same. */
export interface WrittenResults extends Writing {
  readonly parts: readonly (Uint8Array | string)[];
}

/**
 * Begins a subscription.
 * @param format makes of an error what the response has of it
 * @returns its results; or the one result with the errors that refuse it
 */
export async function subscribe(
  subscribing: Subscribing,
  format: (error: GraphQLError) => GraphQLFormattedError,
): Promise<{ results: SubscriptionResults } | { refused: GraphqlResult }> {
  const { schema, document, operationName = null, variables = {}, context } = subscribing;
  const refusal = refuseWithoutField(subscribing);
  if (refusal) return { refused: { errors: [refusal], data: null } };
  context.resultForm = resultForm(subscribing, format);
  const source = await createSourceEventStream({
    ...{ schema, document, operationName },
    ...{ variableValues: variables, contextValue: context, ...libraryOptions },
  });
  if (!(Symbol.asyncIterator in source)) return { refused: { ...source, data: null } };
  return { results: writePages(source as AsyncIterable<Told<WrittenResults>>) };
}

/** The refusal of a subscription whose directives leave out its field, for which graphql-js has no error; null: there is a field. */
function refuseWithoutField({ schema, document, operation, variables = {} }: Subscribing): GraphQLError | null {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, toldErrors);
  // Variables that are wrong are refused by graphql-js.
  if (coerced === undefined) return null;
  try {
    if (planOperation(schema, document, operation, coerced).length > 0) return null;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
  const detail = 'A subscription follows one field, and @skip or @include leaves out the one of this document.';
  return new GraphQLError(detail, { nodes: operation, extensions: { code: 'BAD_USER_INPUT' } });
}

async function* writePages(
  pages: AsyncIterable<Told<WrittenResults>>,
): AsyncGenerator<TextPart<Uint8Array | string> | null> {
  for await (const { written, held } of pages) {
    if (written === null) yield null;
    else yield* whileHeld(written, held);
  }
}

/** How the results of a document are written. It keeps nothing of the request that sent it. */
function resultForm(
  { schema, document, operation, operationName, variables }: Subscribing,
  format: (error: GraphQLError) => GraphQLFormattedError,
): PageForm<WrittenResults> {
  const asked = { schema, document, operation, operationName, variables };
  return {
    key: ['graphql', print(document), operationName, variables],
    write: async ({ changes }, context) => {
      const executed = await Promise.all(changes.map((rootValue) => execute({ ...asked, context, rootValue })));
      return packResults(executed, format);
    },
  };
}

/** Results without errors are events of all; in others, each reader gets the id of its own request. */
function packResults(
  executed: readonly GraphqlResult[],
  format: (error: GraphQLError) => GraphQLFormattedError,
): WrittenResults {
  const parts: (Uint8Array | string)[] = [];
  let events: string[] = [];
  let bytes = 0;
  const pack = (): void => {
    const packed = packEvents(events);
    bytes += packed.bytes;
    parts.push(...packed.parts);
    events = [];
  };
  for (const { errors = [], data } of executed) {
    const result = stringifyResult({ ...(errors.length > 0 && { errors: errors.map(format) }), data }).trim();
    if (errors.length === 0) {
      events.push(formatEvent({ event: resultEvent, data: result }));
      continue;
    }
    pack();
    bytes += Buffer.byteLength(result);
    parts.push(result);
  }
  pack();
  return { bytes, parts };
}

/** The source of the field `changes`. @throws what its first look throws; rate_limited, unavailable as `holdOpen` */
export async function subscribeToChanges(
  _parent: unknown,
  args: ChangesArguments,
  context: GraphqlContext,
): Promise<AsyncIterable<Told<WrittenResults>>> {
  const form = context.resultForm;
  if (form === undefined) throw new Error('A subscription needs a form for its results.');
  const after = await findStreamStart(args, context);
  // Entries may be selected: a page has as few as if they were.
  const limited = { ...args, after, limit: streamLimit(true) };
  return followChanges({ args: limited, context, held: context.admission.holdOpen(), quiet: maxSilence, form });
}

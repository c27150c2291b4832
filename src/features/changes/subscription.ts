// Subscriptions (docs/contract.md §9.2): graphql-js makes the stream of pages, and each change of a page is executed as
// an operation of its own, once for all readers with the same document and the same access.
import { createSourceEventStream, getVariableValues, GraphQLError, print, type GraphQLFormattedError } from 'graphql';
import type { Context } from '../../resolvers/context.ts';
import { errorReporting } from '../../graphql/errors.ts';
import { execute, libraryOptions, stringifyResult, type GraphqlResult } from '../../graphql/executor/execute.ts';
import { planOperation } from '../../graphql/executor/plan.ts';
import { resultEvent, type Subscribe, type Subscribing } from '../../graphql/executor/subscribing.ts';
import type { SubscriptionResults } from '../../graphql/executor/results.ts';
import type { GraphqlContext } from '../../graphql/idempotency.ts';
import { formatEvent, maxSilence, packEvents } from '../../http/eventStream.ts';
import { followChanges, findStreamStart, streamLimit, whileHeld, type ReaderContent } from './follow.ts';
import type { ChangesArguments } from './input.ts';
import type { PageForm } from './readerships.ts';
import type { Writing } from './seats.ts';
import type { ChangePage } from './serializer.ts';

/** The results of a page, for all readers with the same access. */
export interface WrittenResults extends Writing {
  readonly parts: readonly (Uint8Array | string)[];
}

/** Begins a subscription. The source of its one field gets the form of the results as its parent. */
export const subscribe: Subscribe = async (subscribing, format) => {
  const { schema, document, operationName = null, variables = {}, context } = subscribing;
  const refusal = refuseWithoutField(subscribing);
  if (refusal) return { refused: { errors: [refusal], data: null } };
  const source = await createSourceEventStream({
    schema,
    document,
    operationName,
    rootValue: new ResultForm(subscribing, format),
    variableValues: variables,
    contextValue: context,
    ...libraryOptions,
  });
  if (!(Symbol.asyncIterator in source)) return { refused: { ...source, data: null } };
  return { results: writePages(source as AsyncIterable<ReaderContent<WrittenResults>>) };
};

/**
 * The refusal of a subscription whose directives leave out its field, for which graphql-js has no error; null if there
 * is a field.
 */
function refuseWithoutField({ schema, document, operation, variables = {} }: Subscribing): GraphQLError | null {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, errorReporting);
  // graphql-js refuses invalid variables.
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

async function* writePages(pages: AsyncIterable<ReaderContent<WrittenResults>>): SubscriptionResults {
  for await (const { written, hold } of pages) {
    if (written === null) yield null;
    else yield* whileHeld(written, hold);
  }
}

type ErrorFormatter = (error: GraphQLError) => GraphQLFormattedError;

/** The form of a document's results. It keeps nothing of the request that sent it. */
class ResultForm implements PageForm<WrittenResults> {
  readonly key: unknown;
  readonly #subscribing: Omit<Subscribing, 'context'>;
  readonly #format: ErrorFormatter;

  constructor({ schema, document, operation, operationName, variables }: Subscribing, format: ErrorFormatter) {
    this.key = ['graphql', print(document), operationName, variables];
    this.#subscribing = { schema, document, operation, operationName, variables };
    this.#format = format;
  }

  readonly write = async ({ changes }: ChangePage, context: Context): Promise<WrittenResults> => {
    const executed = await Promise.all(
      changes.map((rootValue) => execute({ ...this.#subscribing, context, rootValue })),
    );
    return packResults(executed, this.#format);
  };
}

/** Results without errors are events of all readers; those with errors contain each reader's own request id. */
function packResults(executed: readonly GraphqlResult[], format: ErrorFormatter): WrittenResults {
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

/**
 * The source of the field `changes`.
 * @param form writes its results
 * @throws as its first poll; rate_limited, unavailable as `holdOpen`
 */
export async function subscribeToChanges(
  form: unknown,
  args: ChangesArguments,
  context: GraphqlContext,
): Promise<AsyncIterable<ReaderContent<WrittenResults>>> {
  if (!(form instanceof ResultForm)) throw new Error('A subscription needs a form for its results.');
  const after = await findStreamStart(args, context);
  // Entries may be selected: a page has as few changes as if they were.
  const limited = { ...args, after, limit: streamLimit(true) };
  return followChanges({ args: limited, context, held: context.admission.holdOpen(), quiet: maxSilence, form });
}

// The path of subscriptions: GraphQL over Server-Sent Events, in the mode of distinct connections (docs/contract.md
// §9.2; the protocol of graphql-sse). Its guards, limits and refusals are those of /graphql. The library's own handler
// would hold all that a reader has not read yet, without a bound.
import type { ApolloServer, HTTPGraphQLResponse } from '@apollo/server';
import { readHeader } from '../auth/identify.ts';
import { fail } from '../base/errors.ts';
import { eventStreamType, formatEvent, prefersEvents, sendEvents, type StreamPart } from '../http/eventStream.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { identifyCaller, receive } from '../http/ladder.ts';
import { bodyReader, refuseMethod } from '../http/request.ts';
import type { HttpRequest, HttpRouter } from '../http/messages.ts';
import { redactTokensIn } from '../base/redaction.ts';
import { graphqlError, withRequestId } from './errors.ts';
import type { ContextValue } from './idempotency.ts';
import { checkBody, readGraphqlRequest, requestContext, sendRefusal, sendResult, type GraphqlDoor } from './router.ts';
import { resultEvent } from './executor/subscribing.ts';
import type { SubscriptionResults } from './executor/results.ts';

export const streamPath = '/graphql/stream';
const streamMethods = 'POST, OPTIONS';

/** Adds the path /graphql/stream. @param server a started Apollo Server */
export function addGraphqlStream(router: HttpRouter, server: ApolloServer<ContextValue>, door: GraphqlDoor): void {
  const readBody = bodyReader(door.limits);
  router.options(streamPath, (_request, response) => {
    response.setHeader('Allow', streamMethods);
    response.sendNothing(204);
  });
  router.all(streamPath, async (request, response) => {
    try {
      if (request.method !== 'POST') refuseMethod(streamMethods);
      receive(request, response, door);
      const admission = await identifyCaller(request, response, door, true);
      await readBody(request, response, admission);
      checkBody(request.body, door.limits);
      refuseOtherTypes(request);
      let results: SubscriptionResults | undefined;
      const takeResults = (taken: SubscriptionResults): void => {
        results = taken;
      };
      const context = async (): Promise<ContextValue> => {
        const made = await requestContext(request, response, admission, door);
        made.context.takeResults = takeResults;
        return made;
      };
      const httpGraphQLRequest = readGraphqlRequest(request);
      httpGraphQLRequest.headers.set('accept', 'application/json');
      const result = await server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context });
      const { status = 200 } = result;
      const { maxStalled } = door.streams;
      if (results) await sendEvents(response, writeResults(results, request, door), maxStalled);
      // Errors of the document belong into the stream. Others are refusals of the caller, the rate or the database.
      else if (status === 200 || status === 400) await sendEvents(response, writeResult(result, request), maxStalled);
      else await sendResult(response, result);
    } catch (error) {
      sendRefusal(response, error, door.log);
    }
  });
}

/** @throws bad_request for a client that does not take a stream */
function refuseOtherTypes({ headersDistinct }: HttpRequest): void {
  const accept = readHeader(headersDistinct, 'accept');
  if (accept === undefined || prefersEvents(accept, [])) return;
  fail('bad_request', `${streamPath} answers with ${eventStreamType}: accept it, or send the request to /graphql.`);
}

/** The one result of a query or a mutation, or the errors of a document, as a stream. */
function* writeResult({ body }: HTTPGraphQLResponse, { id }: HttpRequest): Generator<string> {
  if (body.kind !== 'complete') return;
  yield writeNext(body.string, id);
  yield complete;
}

/** The results of a subscription as a stream. It ends with `complete` only if the client must not subscribe again. */
async function* writeResults(
  results: SubscriptionResults,
  { id }: HttpRequest,
  { log }: GraphqlDoor,
): AsyncGenerator<StreamPart> {
  try {
    // Shows the client that the stream has begun.
    yield ':\n\n';
    for await (const result of results) {
      if (result === null) yield ':\n\n';
      else if (typeof result.part === 'string') yield { part: writeNext(result.part, id), text: result.text };
      else yield { part: result.part, text: result.text };
    }
  } catch (error) {
    const refusal = toServiceError(error);
    logFault(log, refusal, { requestId: id });
    const { message, extensions } = graphqlError(refusal);
    const { http: _, ...shown }: Record<string, unknown> = { ...extensions };
    yield writeNext(JSON.stringify(redactTokensIn({ errors: [{ message, extensions: shown }] })), id);
    yield complete;
  }
}

function writeNext(result: string, requestId: string): string {
  return formatEvent({ event: resultEvent, data: withRequestId(result.trim(), requestId) });
}

const complete = formatEvent({ event: 'complete', data: '' });

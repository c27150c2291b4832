// The row of the OpenAPI document (docs/contract.md §11).
import { readHeader } from '../../../auth/identify.ts';
import { describeChannels, describeUnchanged } from '../../../management/channels/describe.ts';
import { findTag } from '../../../rest/respond.ts';
import { route, type RestRequest, type RestResponse, type Route } from '../../../rest/route.ts';
import { Documents, type DocumentSource } from './document.ts';

/**
 * Makes the row of `GET /openapi.json`, which describes a table of rows and itself.
 * @param others the other rows of the table
 */
export function describing(others: readonly Route[]): Route {
  const own: Route = route({
    method: 'GET',
    path: '/openapi.json',
    parameters: [],
    description: {
      id: 'describe',
      summary: 'Describes this interface as the caller has it',
      headers: ['If-None-Match'],
      answer: { status: 200, schema: 'Document', headers: ['ETag'] },
    },
    respondToNobody: async (request, baseUrl) => {
      const response = await respondDocument(documents.describe(null, baseUrl), request);
      if (response === null) throw new Error('The document that describes no channel depends on none.');
      return response;
    },
    operation: describeChannels,
    arguments: () => ({}),
    respond: async (listed, { request, context }) => {
      const response = await describeUnchanged(listed, context, (known) =>
        respondDocument(documents.describe(known, context.baseUrl), request),
      );
      context.admission.budget.takeAnswer(Buffer.byteLength(response.body ?? ''));
      return response;
    },
  });
  const documents = new Documents(() => [...others, own]);
  return own;
}

/**
 * Responds with a document, or with 304, without making it, if `If-None-Match` contains its tag.
 * @returns null if channels have changed since they were listed
 */
async function respondDocument({ tag, write }: DocumentSource, { headers }: RestRequest): Promise<RestResponse | null> {
  const ifNoneMatch = readHeader(headers, 'if-none-match');
  const matching = ifNoneMatch === undefined ? undefined : findTag(ifNoneMatch, tag);
  if (matching !== undefined) return { status: 304, headers: { ETag: matching }, body: null };
  const body = await write();
  return body === null ? null : { status: 200, headers: { ETag: tag }, body };
}

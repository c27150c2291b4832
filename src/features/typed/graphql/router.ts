// The paths of the schemas in the schema definition language (docs/contract.md §11.2): that of the caller's site, and
// the static one, which everybody may read.
import { readUseAcl } from '../../../inputs/flag.ts';
import { type Context } from '../../../resolvers/context.ts';
import { admit, identifyCaller, receive } from '../../../http/ladder.ts';
import { readQuery, refuseMethod } from '../../../http/request.ts';
import type { Handler, HttpRequest, HttpResponse, HttpRouter } from '../../../http/messages.ts';
import { describeChannels, describeUnchanged } from '../../../management/channels/describe.ts';
import { perform } from '../../../resolvers/perform.ts';
import { sendRefusal, type GraphqlDoor } from '../../../graphql/router.ts';
import type { SiteSchemas } from './schemas.ts';

/** The endpoint of the schema of the caller's site. */
export const sitePath = '/graphql/site';
const siteSchemaPath = `${sitePath}/schema.graphql`;
const staticSchemaPath = '/graphql/schema.graphql';
export const sitePaths = [sitePath, siteSchemaPath, staticSchemaPath];

const textMethods = 'GET, HEAD, OPTIONS';
const mediaType = 'text/plain; charset=utf-8';

/** Adds the paths of the schemas' texts. */
export function addSchemaTexts(router: HttpRouter, schemas: SiteSchemas, door: GraphqlDoor): void {
  addText(router, staticSchemaPath, door, (request) => {
    readQuery(request.url, [], false);
    return Promise.resolve(schemas.printStatic());
  });
  addText(router, siteSchemaPath, door, async (request, response) => {
    const admission = await identifyCaller(request, response, door, false);
    const { query } = readQuery(request.url, ['use_acl'], false);
    const useAcl = readUseAcl(query.get('use_acl'));
    const context = await admit(request, admission, { useAcl, operations: 1 }, door);
    return printKnown(schemas, context);
  });
}

/**
 * Prints a schema for its caller, and checks at the end that the caller's channels are still the same: printing a large
 * schema takes a while.
 */
async function printKnown(schemas: SiteSchemas, context: Context): Promise<string> {
  return describeUnchanged(await perform(describeChannels, {}, context), context, async (known) => {
    const text = await schemas.print(known, context);
    const now = await perform(describeChannels, {}, context);
    // The scopes of a token never change, but for channels that are deleted.
    return now.kind === known.kind && now.version === known.version ? text : null;
  });
}

/** Adds a path that answers GET with a text. @param write makes the text, or throws a refusal */
function addText(
  router: HttpRouter,
  path: string,
  door: GraphqlDoor,
  write: (request: HttpRequest, response: HttpResponse) => Promise<string>,
): void {
  router.options(path, (_request, response) => {
    response.setHeader('Allow', textMethods);
    response.sendNothing(204);
  });
  const answer: Handler = async (request, response) => {
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') refuseMethod(textMethods);
      receive(request, response, door);
      response.send(200, mediaType, await write(request, response));
    } catch (error) {
      sendRefusal(response, error, door.log);
    }
  };
  router.all(path, answer);
}

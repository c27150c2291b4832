// The routes of REST: those of the table, and refusals of other methods.
import { identify } from '../auth/identify.ts';
import { fail } from '../base/errors.ts';
import { receive } from '../http/ladder.ts';
import { isWellEncoded, refuseMethod } from '../http/request.ts';
import type { Handler, HttpRequest, HttpRouter } from '../http/messages.ts';
import { acceptPatch } from './mediaTypes.ts';
import type { RestParts, Route } from './route.ts';

/** Adds all rows of the table, behind the guards. Routes that are added to the router later are guarded, too. */
export function addRest(router: HttpRouter, routes: readonly Route[], parts: RestParts): void {
  router.use((request, response, next) => {
    receive(request, response, parts);
    if (request.url.includes('%') && !isWellEncoded(request.path)) return refuseBadPath(request, parts);
    next();
    return undefined;
  });
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    // The router compares a request with each path once.
    const place = router.route(path);
    for (const route of here) place[routerMethod(route)](route.createHandler(parts));
    place.all(otherMethods(here));
  }
}

/** Refuses a path that is not well encoded, but only after the credentials (401): the router itself would refuse it first. */
async function refuseBadPath(request: HttpRequest, parts: RestParts): Promise<never> {
  await identify(request, parts);
  fail('bad_request', 'The path must be percent-encoded UTF-8.');
}

/** Answers OPTIONS with the methods of a path, without a token; refuses other methods by 405 (RFC 9110 §9.3.7, §15.5.6). */
function otherMethods(routes: readonly Route[]): Handler {
  const methods = routes.map(({ method }) => method);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    if (request.method !== 'OPTIONS') refuseMethod(allow);
    response.setHeader('Allow', allow);
    if (methods.includes('PATCH')) response.setHeader('Accept-Patch', acceptPatch);
    response.sendNothing(204);
  };
}

function routerMethod({ method }: Route): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  return method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
}

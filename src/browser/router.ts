// The pages for browsers: the start page, GraphiQL, the reference of REST and the console (docs/contract.md §20). They
// are static, and call the service as any client does, with the token that the user enters.
import type { Config } from '../config/config.ts';
import { readBaseUrl } from '../http/openContext.ts';
import { fail } from '../base/errors.ts';
import { chooseEncoding } from '../http/compress.ts';
import { receive, type LadderParts } from '../http/ladder.ts';
import { answerOtherMethods } from '../http/request.ts';
import type { Handler, HttpRequest, HttpResponse, HttpRouter } from '../http/messages.ts';
import { readVersion } from '../base/version.ts';
import { compressFile, readAsset, readPage, type PageFile } from './files.ts';
import { prefersPage } from './missing.ts';
import { assetHeaders, pageHeaders } from './policy.ts';

export interface PagesDoor extends Pick<LadderParts, 'limits' | 'rateLimits' | 'state'> {
  readonly config: Pick<Config, 'console'>;
  readonly publicUrl: string | undefined;
  /** The paths that the service has. */
  readonly paths: readonly string[];
}

/** The pages by path: the folder of console/ that each is built from. */
const pages: Readonly<Record<string, string>> = {
  '/docs': 'docs',
  '/console': 'app',
  '/console/invitation': 'invitation',
};
const assetPath = '/pages/assets/:file';
const pageMethods = 'GET, HEAD, OPTIONS';

/** The links of `GET /`, as far as the service has their paths. */
const links: Readonly<Record<string, string>> = {
  graphql: '/graphql',
  graphql_stream: '/graphql/stream',
  graphql_site: '/graphql/site',
  openapi: '/openapi.json',
  changes: '/changes',
  docs: '/docs',
  console: '/console',
  live: '/livez',
  ready: '/readyz',
};

/** The paths that `addPages` adds. */
export function listPagePaths({ console: isOn }: Pick<Config, 'console'>): readonly string[] {
  return isOn ? ['/', ...Object.keys(pages), assetPath] : [];
}

/** Adds the pages, if they are on. It has to come before GraphQL, whose path has a page, too. */
export function addPages(router: HttpRouter, dependencies: PagesDoor): void {
  if (!dependencies.config.console) return;
  const add = (path: string, handler: Handler): void => {
    router.get(path, async (request, response, next) => {
      receive(request, response, dependencies);
      return handler(request, response, next);
    });
  };
  add('/', async (request, response) => {
    response.varyBy(['Accept']);
    if (prefersPage(request)) await sendPage(request, response, 'home');
    else sendLinks(request, response, dependencies);
  });
  for (const [path, name] of Object.entries(pages)) add(path, (request, response) => sendPage(request, response, name));
  add(assetPath, sendAsset);
  router.all([...listPagePaths(dependencies.config)], (request, response) =>
    answerOtherMethods(request, response, pageMethods),
  );
  const addBeside = (path: string, handler: Handler): void => {
    router.all(path, async (request, response, next) => {
      if (!['GET', 'HEAD'].includes(request.method) || !prefersPage(request)) {
        next();
        return;
      }
      receive(request, response, dependencies);
      response.varyBy(['Accept']);
      await handler(request, response, next);
    });
  };
  addBeside('/graphql', (request, response) => sendPage(request, response, 'graphiql'));
  addBeside('/graphql/site', leadToSiteTab);
}

/**
 * Redirects a browser to the tab of GraphiQL with the schema of the site. The address is relative, as a proxy may add a
 * path.
 */
function leadToSiteTab(_request: HttpRequest, response: HttpResponse): void {
  response.setHeader('Location', '../graphql#site');
  response.sendNothing(302);
}

function sendLinks(request: HttpRequest, response: HttpResponse, dependencies: PagesDoor): void {
  const baseUrl = readBaseUrl(request, dependencies);
  const present = Object.entries(links).filter(([, path]) => dependencies.paths.includes(path));
  const urls = Object.fromEntries(present.map(([name, path]) => [name, `${baseUrl}${path}`]));
  response.sendJson(200, JSON.stringify({ name: 'entryway', version: readVersion(), links: urls }));
}

async function sendPage(request: HttpRequest, response: HttpResponse, name: string): Promise<void> {
  const page = await readPage(name);
  if (page === null) fail('not_found', 'The pages are not built. Build them with "npm run build".');
  response.setAll(pageHeaders);
  await sendFile(request, response, page);
}

async function sendAsset(request: HttpRequest, response: HttpResponse): Promise<void> {
  const file = await readAsset(request.params['file'] ?? '');
  if (file === null) fail('not_found', 'There is nothing at this path.');
  response.setAll(assetHeaders);
  await sendFile(request, response, file);
}

/** Sends bytes that all answers share. */
async function sendFile(request: HttpRequest, response: HttpResponse, file: PageFile): Promise<void> {
  const encoding = chooseEncoding(request, file.bytes.length);
  const body = encoding === null ? file.bytes : await compressFile(file, encoding);
  response.sendEncoded(200, file.type, body, encoding);
}

// Whether an answer has the form of its door (docs/contract.md §5, §7).
import { statusOf } from '../../support/expect.ts';
import { words } from '../../support/words.ts';
import type { Answer, Circumstances, Finding } from './judge.ts';
import type { Wire } from './request.ts';

/** The statuses of refusals by docs/contract.md §5, 5xx apart, and of what ends before a door (RFC 9110). */
const refusals = [...Object.values(statusOf).filter((status) => status < 500), 417, 431];
const statuses = {
  rest: [200, 201, 204, 304, ...refusals],
  graphql: [200, 204, 406, ...refusals.filter((status) => ![404, 409, 412, 422].includes(status))],
};
const problemMembers = ['type', 'title', 'status', 'detail', 'code', 'request_id'];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** The paths of the schemas as text, which refuse as GraphQL does. */
const textPath = /^\/graphql(?:\/site)?\/schema\.graphql$/;

/** The paths of pages and of their files (docs/contract.md §20). */
const pagePath = /^\/(?:(?:docs|console)?$|pages\/assets\/[^/]+$)/;
const pageTypes = /^(?:text\/(?:html|css|javascript)|image\/svg\+xml|font\/\w+)\b/;

/** Whether an answer is a page, a file of one, or leads to one: where these are on, that is no answer of a door. */
function isOfPage(wire: Wire, { status, headers, text }: Answer): boolean {
  const path = pathOf(wire.target);
  if (wire.method !== 'GET') return false;
  if (status === 302) return leadsToPage(path, headers.get('location') ?? '') && text === '';
  if (status === 404) return isOpenedByBrowser(wire) && text.includes('<h1>No such page<');
  const isKnown = path === '/graphql' || pagePath.test(path);
  return status === 200 && isKnown && pageTypes.test(headers.get('content-type') ?? '');
}

/** The site's schema has its page at that of GraphQL; a slash at the end of a page's address is one too many. */
function leadsToPage(path: string, location: string): boolean {
  if (path === '/graphql/site') return location === '../graphql#site';
  return (
    /^\/(?:docs|console|graphql|graphql\/site)\/+$/.test(path) &&
    /^(?:\.\.\/)+(?:docs|console|graphql(?:\/site)?)$/.test(location)
  );
}

/** Whether a request asks for HTML, as browsers do for what somebody opens: an address that there is not has a page then. */
function isOpenedByBrowser({ headers }: Wire): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'accept' && value.includes('text/html'));
}

export function doorOf({ target }: Wire): 'rest' | 'graphql' {
  const path = pathOf(target);
  return path === '/graphql' || path === '/graphql/site' || textPath.test(path) ? 'graphql' : 'rest';
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/** What of an answer's form is not as it should be. */
export function badForm(wire: Wire, answer: Answer, { production }: Circumstances): Finding[] {
  if (isParsersOwn(wire, answer)) return [];
  const isPage = !production && isOfPage(wire, answer);
  const door = doorOf(wire);
  const wrong: string[] = [];
  if (!isPage && !statuses[door].includes(answer.status)) wrong.push(`no status of this door: ${answer.status}`);
  if ((answer.headers.get('x-request-id') ?? '') === '') wrong.push('no X-Request-Id');
  // GraphQL repeats a name that was sent where a selection is missing after it.
  const suggested = answer.text.replaceAll(
    /Field \\"(\w+)\\" of type \\"[^"]+\\" must have a selection of subfields\. Did you mean \\"\1 \{ \.\.\. \}\\"/g,
    '',
  );
  if (production && suggested.includes('Did you mean')) wrong.push('suggests names of the schema');
  if (!isPage) wrong.push(...badBody(wire, answer));
  const shown = wrong.length === 0 ? '' : `; status ${answer.status}, body ${answer.text.slice(0, 500)}`;
  return wrong.map((what) => ({ rule: 'form', what: what + shown }));
}

/** What can't be read as HTTP gets to no door: it is answered with a problem at either, and ends the connection. */
function isParsersOwn({ method, headers, target }: Wire, { status, text, headers: answered }: Answer): boolean {
  const size = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, target.length);
  const isOdd = size > 12_000 || !methods.includes(method) || headers.some(([name]) => framing.has(name.toLowerCase()));
  if (!isOdd || ![400, 408, 413, 431].includes(status) || text === '') return false;
  const type = answered.get('content-type') ?? '';
  if (!type.startsWith('application/problem+json')) return false;
  return badDocument(JSON.parse(text), type, status, answered.get('x-request-id')).length === 0;
}

const framing = new Set(words('expect upgrade connection host transfer-encoding content-length te trailer'));

function badBody(wire: Wire, answer: Answer): string[] {
  const { status, headers, text } = answer;
  if (wire.method === 'HEAD' || [204, 304].includes(status)) return text === '' ? [] : ['a body where there is none'];
  const type = headers.get('content-type') ?? '';
  if (status === 200 && textPath.test(pathOf(wire.target)))
    return type.startsWith('text/plain') ? [] : [`sent as ${type}`];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return ['no JSON'];
  }
  const requestId = headers.get('x-request-id');
  return doorOf(wire) === 'graphql' ? badResult(body, type, requestId) : badDocument(body, type, status, requestId);
}

function badDocument(body: unknown, type: string, status: number, requestId: string | null): string[] {
  if (status < 400) return /^application\/json\b/.test(type) ? [] : [`sent as ${type}`];
  if (!/^application\/problem\+json\b/.test(type)) return [`a refusal sent as ${type}`];
  const problem = body as Record<string, unknown>;
  const wrong = problemMembers.filter((member) => problem[member] === undefined).map((member) => `no ${member}`);
  if (problem['status'] !== status) wrong.push('another status in the body');
  if (problem['request_id'] !== requestId) wrong.push('another request id in the body');
  // The right that a user token lacks.
  const known = [...problemMembers, 'errors', ...(status === 403 ? ['missing'] : [])];
  const unknown = Object.keys(problem).filter((member) => !known.includes(member));
  return [...wrong, ...unknown.map((member) => `the unknown member ${member}`)];
}

interface GraphqlError {
  readonly message?: unknown;
  readonly extensions?: Record<string, unknown>;
}

function badResult(body: unknown, type: string, requestId: string | null): string[] {
  if (!/^application\/(json|graphql-response\+json)\b/.test(type)) return [`sent as ${type}`];
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ['no object'];
  const { data, errors, ...more } = body as { data?: unknown; errors?: GraphqlError[] };
  const wrong = Object.keys(more).map((member) => `the unknown member ${member}`);
  if (data === undefined && !(Array.isArray(errors) && errors.length > 0)) wrong.push('neither data nor errors');
  for (const { message, extensions = {} } of errors ?? []) {
    if (typeof message !== 'string' || message === '') wrong.push('an error without words');
    if (typeof extensions['code'] !== 'string') wrong.push('an error without a code');
    if (extensions['requestId'] !== requestId) wrong.push('an error without the request id');
    if (extensions['stacktrace'] !== undefined) wrong.push('a stack trace');
  }
  return wrong;
}

// What is wrong with one answer: a token in it, or an error that gives something away. Pure.
//
// An exchange is { method, url, requestHeaders, requestBody, status, headers, body }: texts, and headers as lists of pairs.
import { decode, giveawaysIn, tokensIn } from './patterns.mjs';

/** The findings, in words. */
export function findingsIn(exchange) {
  return [...tokenFindings(exchange), ...errorFindings(exchange)];
}

/** A token may stand in no answer but those that hand out a new one: there as the member `token`, once. */
function tokenFindings(exchange) {
  const headers = exchange.headers.map(([name, value]) => `${name}: ${value}`);
  const found = [...headers, exchange.body].flatMap(tokensIn);
  if (found.length === 0) return [];
  const handedOut = newTokens(exchange);
  const others = found.filter((token) => {
    const index = handedOut.indexOf(token);
    if (index >= 0) handedOut.splice(index, 1);
    return index < 0;
  });
  return others.map((token) => `a token in an answer: ${shortened(token)}`);
}

/** The path of src/cli/operator/socketClient.ts, and the calls of src/cli/operator/operatorCalls.ts that hand out tokens. */
const commandUrl = '/command';
const minterCalls = {
  createSiteToken: /^ew_(?:master|public)_/,
  createUserToken: /^ew_user_/,
  createUserLink: /^ew_link_/,
  inviteMember: /^ew_link_/,
  rotateToken: /^ew_(?:master|public|user)_/,
};

/** The calls that may make invitations in place of memberships: of each the token of its link. */
const invitingCalls = ['changeMembership', 'createSite', 'finishSiteImport'];

const minters = {
  createToken: /^ew_(?:master|public)_/,
  createSession: /^ew_session_/,
  inviteMember: /^ew_link_/,
};

/** The paths of REST that hand out tokens, as the member `token` or in the link `url` of the answer to a POST. */
const minterPaths = [
  { path: /^\/tokens(?:\?|$)/, kind: minters.createToken },
  { path: /^\/customers\/[^/?]+\/sessions(?:\?|$)/, kind: minters.createSession },
  { path: /^\/invitations(?:\?|$)/, kind: minters.inviteMember },
  { path: /^\/me\/tokens(?:\?|$)/, kind: minterCalls.createUserToken },
];

/** What an answer hands out as `token`, or behind the `#` of `url`. */
function secretOf(result) {
  return result?.token ?? (typeof result?.url === 'string' ? result.url.split('#')[1] : undefined);
}

/**
 * The tokens that createToken, createSession and inviteMember hand out: `data.<field>.token`, or as the request calls the member
 * instead, or in `url`, of an answer to a request that names them.
 */
function newTokens({ method, url, status, requestBody, headers, body }) {
  if (method === 'POST' && status === 200 && signInPath.test(url)) return tokensOfSignIn({ headers, body });
  if (method === 'GET' && status === 302 && callbackPath.test(url)) return tokensOfSignIn({ headers, body: '' });
  if (method === 'POST' && status === 201) return tokenOfPath(url, requestBody, parsed(body));
  if (status !== 200) return [];
  if (url === commandUrl) return tokenOfCall(parsed(requestBody), parsed(body));
  if (!isGraphql(url)) return [];
  const kinds = Object.entries(minters).filter(([field]) => new RegExp(`\\b${field}\\b`).test(requestBody));
  const { data } = parsed(body) ?? {};
  const members = ['token', ...[...requestBody.matchAll(/(\w+)\s*:\s*token\b/g)].map(([, alias]) => alias)];
  return Object.values(data ?? {})
    .flatMap((result) => [...members.map((member) => result?.[member]), secretOf(result)])
    .filter((token) => typeof token === 'string' && kinds.some(([, kind]) => kind.test(token)))
    .filter((token, index, all) => all.indexOf(token) === index && !requestBody.includes(token));
}

/** The paths of the console that hand out a token, and of which one sets cookies. */
const signInPath = /^\/auth\/(?:sign-in|token|invitation)(?:\?|$)/;

/** The path to which a provider sends people back: its answer sets cookies. */
const callbackPath = /^\/auth\/oidc\/[\w-]+\/callback\?/;

/** What a sign-in hands out: a token, and its cookies, each in a header of its own. */
function tokensOfSignIn({ headers, body }) {
  const cookies = headers.filter(([name]) => /^set-cookie$/i.test(name)).map(([, value]) => value);
  const values = cookies.flatMap((cookie) => /^ew_(?:sign_in|browser)=(ew_\w+);/.exec(cookie)?.[1] ?? []);
  const token = parsed(body)?.token;
  return [...values, ...(typeof token === 'string' && token.startsWith('ew_user_') ? [token] : [])];
}

/** The token that a path of REST hands out. */
function tokenOfPath(url, requestBody, answer) {
  const token = secretOf(answer);
  const minter = minterPaths.find(({ path }) => path.test(url));
  return typeof token === 'string' && minter?.kind.test(token) && !requestBody.includes(token) ? [token] : [];
}

/** The token that a call of a command hands out, over the socket that only its owner may open. */
function tokenOfCall(message, answer) {
  const result = answer?.result;
  if (invitingCalls.includes(message?.call)) {
    const invitations = Array.isArray(result) ? result : [result?.invitation];
    return invitations.flatMap((each) => (/^ew_link_/.test(each?.token) ? [each.token] : []));
  }
  const token = result?.token;
  return minterCalls[message?.call]?.test(token) === true ? [token] : [];
}

/** Errors say what is wrong with a request in its own words, and in none that tell how the service is made. */
function errorFindings(exchange) {
  const { status, headers } = exchange;
  const telling = headers.filter(([name]) => /^(?:x-powered-by|server)$/i.test(name));
  const findings = telling.map(([name, value]) => `the header ${name}: ${value}`);
  const said = [...errorStrings(exchange), ...(status < 400 ? [] : headers.map(([, value]) => value))].join('\n');
  if (said === '') return findings;
  // Looked through only where something was found: a request may hold a million values.
  let known;
  const isKnown = (found) => (known ??= requestText(exchange)).includes(found.toLowerCase());
  const giveaways = giveawaysIn(said, isKnown);
  return [...findings, ...giveaways.map(({ kind, found }) => `${kind} in an error: ${shortened(found)}`)];
}

/** The strings of an error, names of members included: of the whole body, or of a GraphQL answer's errors alone. */
function errorStrings({ url, status, body }) {
  if (status >= 400) {
    const document = parsed(body);
    return document === undefined ? [body] : stringsIn(document);
  }
  // What a list of entries holds is nobody's error.
  return isGraphql(url) && body.includes('"errors"') ? stringsIn(parsed(body)?.errors) : [];
}

/** What the caller said, in lower case: as it came, and with the encodings of URLs and JSON taken off. */
function requestText({ url, requestHeaders, requestBody }) {
  const values = requestHeaders.filter(([name]) => !/^(?:host|user-agent|accept.*|connection)$/i.test(name));
  const said = [url, decode(url), decode(url).replaceAll('+', ' '), requestBody, ...values.map(([, value]) => value)];
  return [...said, ...stringsIn(parsed(requestBody))].join('\n').toLowerCase();
}

/** The strings in a value, names of members included, however deep it is. */
function stringsIn(value) {
  const strings = [];
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') strings.push(next);
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) strings.push(...Object.keys(next));
    for (const member of Object.values(next)) open.push(member);
  }
  return strings;
}

function isGraphql(url) {
  return /^\/graphql(?:\?|$)/.test(url);
}

/** A JSON text's value; undefined where it is none. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shortened(text) {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

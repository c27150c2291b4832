// What is wrong with an answer, as far as it can be told without knowing what was asked for: it is no failure of the
// service, has the form of its door, and tells nothing that its caller may not know.
import { viewsOf } from './callers.ts';
import type { Wire } from './request.ts';
import type { Message } from './send.ts';
import { canaryShape, type World } from './world.ts';
import { badForm } from './judge.form.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** How long it took, in milliseconds. */
  readonly took: number;
  /** Whether the connection was closed without an answer. */
  readonly isClosed?: boolean;
}

export interface Finding {
  readonly rule: 'status' | 'form' | 'canary' | 'token' | 'words' | 'hang';
  readonly what: string;
}

/** What a round knows besides the world. */
export interface Circumstances {
  readonly world: World;
  readonly production: boolean;
  /** Canaries that callers themselves have sent in writes, so that answers may show them. */
  readonly told: ReadonlySet<string>;
}

/** How long an answer may take, in milliseconds. */
export const patience = 20_000;

/** What no answer holds: tokens, and what tells how the service is made. */
const tokenShape = /ew_(master|public|user|session)_[0-9A-Za-z]{20,}/g;
const innards: readonly RegExp[] = [
  ...[/\n\s+at \S/, /\bat [\w.<>]+ \(/, /node_modules/, /node:internal/, /\.[cm]?[jt]s:\d+/, /file:\/\//],
  /\/(home|work|root|usr|opt|var|tmp)\/\w/,
  ...[/prisma/i, /pglite/i, /@apollo|apollo-?server|ApolloError/i, /body-parser|raw-body|graphql-tools|jsonwebtoken/i],
  ...[
    /\bSELECT\b.*\bFROM\b/s,
    /\bINSERT INTO\b/,
    /\bDELETE FROM\b/,
    /\bUPDATE \w+ .*\bSET\b/s,
    /\bWHERE\b.*\bLIMIT\b/s,
  ],
  ...[/syntax error at/i, /SQLSTATE/, /duplicate key/i, /violates/i, /\bpg_\w+/, /_pkey\b|_key\b.*constraint/],
  ...[/\b(site_id|channel_uid|channelUid|read_grant|readGrant|read_deny|title_key|titleKey|title_rest)\b/],
  ...[
    /\b(Type|Range|Reference|Syntax)Error\b/,
    /Cannot (read|set|convert|destructure)/,
    /is not (a function|iterable)/,
  ],
  ...[/ECONN|EPIPE|ENOENT/, /postgres(ql)?:\/\//i, /Unexpected token|in JSON at position/],
];

/** Everything that is wrong with an answer to a request, and to what was sent for it. */
export function judge(
  wire: Wire,
  { sent, wire: filled }: Message,
  answer: Answer,
  circumstances: Circumstances,
): Finding[] {
  if (answer.isClosed === true) {
    return wire.raw === undefined ? [{ rule: 'form', what: 'the connection was closed without an answer' }] : [];
  }
  const told = `${[...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${answer.text}`;
  return [
    ...badStatus(answer),
    ...badForm(filled, answer, circumstances),
    ...canariesIn(told, wire, sent, circumstances),
    ...tokensIn(told, sent),
    ...innardsIn(told, sent, answer),
  ];
}

function badStatus({ status, text, took }: Answer): Finding[] {
  const late: Finding[] = took > patience ? [{ rule: 'hang', what: `answered after ${Math.round(took)} ms` }] : [];
  if (status >= 500) return [...late, { rule: 'status', what: `${status}: ${text.slice(0, 500)}` }];
  // Of several answers on one connection, as broken messages get, any may fail.
  const failed = /^HTTP\/1\.1 5\d\d.*|"code":"(INTERNAL_SERVER_ERROR|UNAVAILABLE|internal|unavailable)"/m.exec(
    text,
  )?.[0];
  return failed === undefined ? late : [...late, { rule: 'status', what: `${failed} in ${text.slice(0, 500)}` }];
}

/** Cursors hold values of their row behind base64url. */
function decoded(text: string): string {
  const parts = text.match(/[A-Za-z0-9_-]{24,}/g) ?? [];
  return parts.map((part) => Buffer.from(part, 'base64url').toString('latin1')).join('\n');
}

function canariesIn(text: string, wire: Wire, sent: string, { world, told }: Circumstances): Finding[] {
  const views = viewsOf(wire);
  const all = `${text}\n${decoded(text)}`.toLowerCase();
  return [...new Set(all.match(canaryShape))].flatMap((word): Finding[] => {
    const canary = world.canaries.get(word);
    const maySee = canary === undefined || [...canary.seenBy].some((view) => views.has(view));
    if (maySee || sent.includes(word) || told.has(word)) return [];
    return [{ rule: 'canary', what: `${canary.where} (${word}) shown to ${[...views].join(', ') || 'nobody'}` }];
  });
}

/** A token is shown once, to who asked for a new one. */
function tokensIn(text: string, sent: string): Finding[] {
  const handsOut: Record<string, boolean> = {
    session: sent.includes('createSession'),
    master: sent.includes('createToken'),
    public: sent.includes('createToken'),
  };
  return [...text.matchAll(tokenShape)].flatMap(([token, kind = '']): Finding[] =>
    handsOut[kind] === true || sent.includes(token) ? [] : [{ rule: 'token', what: `${token.slice(0, 16)}… shown` }],
  );
}

function innardsIn(text: string, sent: string, { headers }: Answer): Finding[] {
  // The Sandbox page is Apollo's, and names it.
  if (headers.get('content-type')?.startsWith('text/html') === true) return [];
  return innardsOf(text)
    .filter((found) => !sent.includes(found))
    .map((found): Finding => ({ rule: 'words', what: `${JSON.stringify(found.slice(0, 300))} shown` }));
}

/** What of a text tells how the service is made. */
export function innardsOf(text: string): string[] {
  return innards.flatMap((shape) => shape.exec(text)?.[0] ?? []);
}

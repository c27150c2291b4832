// What is wrong with an answer, as far as it can be told without knowing what was asked for: it is no failure of the
// service, has the form of its door, and tells nothing that its caller may not know. Tokens, and errors that give away how the
// service is made, are found by the watch over the suite (test/support/watch), which fails the run, too.
import { viewsOf } from './callers.ts';
import type { Wire } from './request.ts';
import type { Message } from './send.ts';
import type { View } from './world.table.ts';
import { canaryShape, type World } from './world.ts';
import { badForm } from './judge.form.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** How long it took, in milliseconds. */
  readonly took: number;
}

export interface Finding {
  readonly rule: 'status' | 'form' | 'canary' | 'hang';
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

/** Everything that is wrong with an answer to a request, and to what was sent for it. */
export function judge(
  wire: Wire,
  { sent, wire: filled }: Message,
  answer: Answer,
  circumstances: Circumstances,
): Finding[] {
  const told = `${[...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${answer.text}`;
  return [
    ...badStatus(answer),
    ...badForm(filled, answer, circumstances),
    ...canariesIn(told, wire, sent, circumstances),
  ];
}

function badStatus({ status, text, took }: Answer): Finding[] {
  const late: Finding[] = took > patience ? [{ rule: 'hang', what: `answered after ${Math.round(took)} ms` }] : [];
  if (status >= 500) return [...late, { rule: 'status', what: `${status}: ${text.slice(0, 500)}` }];
  const failed = /"code":"(INTERNAL_SERVER_ERROR|UNAVAILABLE)"/.exec(text)?.[0];
  return failed === undefined ? late : [...late, { rule: 'status', what: `${failed} in ${text.slice(0, 500)}` }];
}

/** Cursors hold values of their row behind base64url. */
function decoded(text: string): string {
  const parts = text.match(/[A-Za-z0-9_-]{24,}/g) ?? [];
  return parts.map((part) => Buffer.from(part, 'base64url').toString('latin1')).join('\n');
}

/** The one entry of the vault that no actor reads whose access is checked. */
const seenByNobody = 'safe-secret';

/** Whether a user token of the vault may have asked to read as somebody else: it then sees what any customer could. */
function mayPreview(views: ReadonlySet<View>, sent: string): boolean {
  return (['S', 'SA', 'SB'] as const).some((view) => views.has(view)) && /\bas\b/.test(sent);
}

function canariesIn(text: string, wire: Wire, sent: string, { world, told }: Circumstances): Finding[] {
  const views = viewsOf(wire);
  const all = `${text}\n${decoded(text)}`.toLowerCase();
  return [...new Set(all.match(canaryShape))].flatMap((word): Finding[] => {
    const canary = world.canaries.get(word);
    const maySee =
      canary === undefined ||
      [...canary.seenBy].some((view) => views.has(view)) ||
      (mayPreview(views, sent) && !canary.where.includes(seenByNobody));
    if (maySee || sent.includes(word) || told.has(word)) return [];
    return [{ rule: 'canary', what: `${canary.where} (${word}) shown to ${[...views].join(', ') || 'nobody'}` }];
  });
}

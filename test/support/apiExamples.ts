// The examples of docs/api.md: requests as they stand there, and what each is answered.
import { readFileSync } from 'node:fs';

/** A request over REST, with what its answer is to be. */
export interface HttpExample {
  readonly method: string;
  /** Not encoded: as people read it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly status: number;
  /** The slugs of a list, in order; or members of the answer, or of each item; undefined: whatever it is. */
  readonly slugs: readonly string[] | undefined;
  readonly members: unknown;
  /** Headers of the answer: `…` stands for anything, `<name>` for what later requests send as `<name>`. */
  readonly answerHeaders: Readonly<Record<string, string>>;
}

/** A GraphQL document, who sends it, and members of the answer. */
export interface GraphqlExample {
  readonly who: string;
  readonly query: string;
  readonly answer: unknown;
}

/** A block of the page. */
export interface Block {
  /** Where it begins. */
  readonly line: number;
  readonly http: readonly HttpExample[];
  readonly graphql: GraphqlExample | null;
}

/** The page. */
export const apiPage = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');

/** The blocks of the page that a test runs. A GraphQL document's answer is the JSON block behind it. */
export function apiExamples(): Block[] {
  const found = apiPage.matchAll(/^```(http|graphql)\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?/gms);
  return [...found].map(({ 0: all, 1: kind, 2: text = '', 3: answer, index }) => {
    const line = apiPage.slice(0, index).split('\n').length;
    if (kind === 'http') return { line, http: requestsOf(text), graphql: null };
    if (answer === undefined) throw new Error(`No answer stands behind the document of line ${line}: ${all}`);
    const who = /^# (\w+)\n/.exec(text)?.[1] ?? 'public';
    return { line, http: [], graphql: { who, query: text, answer: JSON.parse(answer) as unknown } };
  });
}

function requestsOf(text: string): HttpExample[] {
  return text
    .trim()
    .split(/\n+(?=[A-Z]+ \/)/)
    .map(requestOf);
}

function requestOf(text: string): HttpExample {
  const [asked = '', answered = ''] = text.split(/^→ /m);
  const [first = '', ...sent] = asked.trim().split('\n');
  const [, method = '', path = ''] = /^([A-Z]+) (\/.*)$/.exec(first) ?? [];
  const [, status, expected = '', rest = ''] = /^(\d{3})(?: ([[{].*?[\]}]))?(?:\n(.*))?$/s.exec(answered.trim()) ?? [];
  if (path === '' || status === undefined) throw new Error(`This is no example: ${text}`);
  const body = sent.filter((line) => !isHeader(line)).join('\n');
  const isList = expected.startsWith('[') && !expected.startsWith('[{');
  return {
    ...{ method, path, headers: headersOf(sent.filter(isHeader)) },
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
    status: Number(status),
    slugs: isList ? expected.slice(1, -1).split(', ').filter(Boolean) : undefined,
    members: isList || expected === '' ? undefined : (JSON.parse(expected) as unknown),
    answerHeaders: headersOf(rest.split('\n').filter(Boolean)),
  };
}

function isHeader(line: string): boolean {
  return /^[A-Za-z-]+: /.test(line);
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(': ');
      if (colon < 1) throw new Error(`This is no header: ${line}`);
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
}

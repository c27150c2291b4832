// Mutations of what surrounds a body: method, path, parameters, headers, credentials.
import { credentials } from './callers.ts';
import { encoded, type Draft, type Pair } from './request.ts';
import type { Random } from '../../support/random.ts';
import { keys, names, oddText } from './values.ts';
import { extras, methods, parameterValues, parameters, segments, types } from './values.http.ts';

export type Mutation = (draft: Draft, random: Random) => Draft;

const replaced = <Item>(items: readonly Item[], index: number, ...others: Item[]): Item[] =>
  items.toSpliced(index, 1, ...others);

const method: Mutation = (draft, random) => ({ ...draft, method: random.pick(methods) });

const path: Mutation = (draft, random) => {
  const at = random.upTo(draft.path.length - 1);
  const other = random.chance(0.3) ? random.pick(names) : random.pick(segments);
  const changes = [
    () => replaced(draft.path, at, other),
    () => draft.path.toSpliced(at, 0, other),
    () => replaced(draft.path, at),
    () => replaced(draft.path, at, `${draft.path[at] ?? ''}${other.slice(0, 20)}`),
    () => replaced(draft.path, at, (draft.path[at] ?? '').toUpperCase()),
  ];
  return { ...draft, path: random.pick(changes)() };
};

const parameter: Mutation = (draft, random) => {
  const { query } = draft;
  const value = random.chance(0.8) ? random.pick(parameterValues) : encoded(oddText(random));
  const pair: Pair = [random.chance(0.9) ? random.pick(parameters) : encoded(random.pick(keys)), value];
  const at = random.upTo(Math.max(0, query.length - 1));
  const known = query[at] ?? pair;
  const changes = [
    () => [...query, pair],
    () => [...query, pair],
    () => replaced(query, at, [known[0], value] as const),
    () => [...query, known],
    () => replaced(query, at),
    () => [...query, ...Array.from({ length: 200 }, (): Pair => pair)].slice(0, 250),
  ];
  return { ...draft, query: random.pick(changes)() };
};

const header: Mutation = (draft, random) => {
  const { headers } = draft;
  const extra = random.pick(extras);
  const at = random.upTo(Math.max(0, headers.length - 1));
  const [name, value] = headers[at] ?? extra;
  const changes = [
    () => [...headers, extra],
    () => [...headers, extra],
    () => replaced(headers, at),
    () => [...headers, [name, value] as const],
    () =>
      replaced(headers, at, [
        name,
        `${value}${random.pick([' ', ',', ' x', '\u0000', '\u00e9', 'A', '\u{1f600}'])}`,
      ] as const),
    () => replaced(headers, at, [name, value.slice(0, random.upTo(value.length))] as const),
    () => replaced(headers, at, [name, oddText(random).slice(0, 3000)] as const),
    () => [...headers, ...Array.from({ length: 150 }, (_, index) => [`X-Many-${index}`, 'y'] as const)],
  ];
  return { ...draft, headers: random.pick(changes)() };
};

const type: Mutation = (draft, random) => ({
  ...draft,
  headers: [...without(draft.headers, 'content-type'), ['Content-Type', random.pick(types)]],
});

/** Credentials of another kind, another site, or none. */
const credential: Mutation = (draft, random) => {
  const token = random.pick(random.chance(0.8) ? credentials.tokens.slice(0, 6) : credentials.tokens);
  const session = random.pick(credentials.sessions);
  const site = random.pick([...credentials.sites.map((name) => `~${name}~`), 'no-such-site', '', 'News', '*']);
  const sessionHeader = random.pick(['Session-Token', 'X-Service-Session-Token', 'session-token']);
  const scheme = random.chance(0.8)
    ? 'Bearer '
    : random.pick(['bearer ', 'Bearer  ', 'Basic ', '', 'Bearer\t', 'Bearer,']);
  const authorization: Pair = ['Authorization', `${scheme}~${token}~`];
  const changes = [
    () => [...without(draft.headers, 'authorization'), authorization],
    () => [...without(draft.headers, 'authorization'), authorization],
    () => without(draft.headers, 'authorization'),
    () => [...draft.headers, authorization],
    () => [...without(draft.headers, 'session-token'), [sessionHeader, `~${session}~`] as const],
    () => [...draft.headers, [sessionHeader, `~${session}~`] as const],
    () => without(draft.headers, 'session-token'),
    () => [...without(draft.headers, 'x-service-site'), ['X-Service-Site', site] as const],
    () => without(draft.headers, 'x-service-site'),
  ];
  return { ...draft, headers: random.pick(changes)() };
};

function without(headers: readonly Pair[], name: string): Pair[] {
  return headers.filter(([given]) => given.toLowerCase() !== name);
}

/** Each as often as it is to come up. */
export const httpMutations: readonly (readonly [string, Mutation])[] = [
  ['method', method],
  ['path', path],
  ['parameter', parameter],
  ['parameter', parameter],
  ['parameter', parameter],
  ['header', header],
  ['header', header],
  ['header', header],
  ['type', type],
  ['credential', credential],
  ['credential', credential],
];

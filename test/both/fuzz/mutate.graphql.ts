// Mutations of GraphQL requests: of the document's tree, of its text, of its variables, and of how it is sent.
import { Kind, OperationTypeNode, parse, print, validate, visit, type DocumentNode } from 'graphql';
import { mutateJson } from './mutate.json.ts';
import { documentChanges } from './mutate.document.ts';
import { fieldChanges } from './mutate.fields.ts';
import { documentText, type Draft, type Operation } from './request.ts';
import type { Random } from '../../support/random.ts';
import { schema } from './tree.ts';
import { pieces, variableTypes } from './values.graphql.ts';
import { oddText, oddValue } from './values.ts';

/** How often a change of the tree is tried that leaves a valid document. */
const maxTries = 4;

/** How many fields a document may have: what costs too much is another test's. */
const maxFields = 200;

type Change = (operation: Operation, random: Random) => Operation;

/** A change of the tree, left out where it makes too much of it. */
const tree: Change = (operation, random) => {
  if (typeof operation.document === 'string') return operation;
  // Most are to be executed: of those that the schema refuses, some are changed another way.
  for (let tries = 0; ; tries += 1) {
    const document = random.pick([...fieldChanges, ...documentChanges])(operation.document, random);
    if (fieldsOf(document) > maxFields) return operation;
    if (tries === maxTries || random.chance(0.3) || isValid(document)) return { ...operation, document };
  }
};

function isValid(document: DocumentNode): boolean {
  try {
    return validate(schema, parse(print(document))).length === 0;
  } catch {
    return false;
  }
}

function fieldsOf(document: DocumentNode): number {
  let count = 0;
  visit(document, { Field: () => void (count += 1) });
  return count;
}

/** A literal made a variable, declared with some type or not at all. */
const literalToVariable: Change = (operation, random) => {
  if (typeof operation.document === 'string' || typeof operation.variables !== 'object') return operation;
  const type = random.pick(variableTypes);
  let value: unknown;
  const document = visit(operation.document, {
    Argument: (node) => {
      if (value !== undefined || node.value.kind === Kind.VARIABLE || random.chance(0.5)) return undefined;
      value = 'value' in node.value ? node.value.value : null;
      return { ...node, value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: 'moved' } } };
    },
  });
  const name = random.pick(['moved', 'moved', 'moved', 'other', '__proto__']);
  return {
    ...operation,
    document: declared(print(document), `$${name}: ${type}`),
    variables: { ...operation.variables, moved: random.chance(0.5) ? value : oddValue(random) },
  };
};

function declared(text: string, definition: string): string {
  return text.replace(/^(query|mutation)?( ?\w*) ?(\()?/, (_, kind?: string, name?: string, open?: string) =>
    [kind ?? 'query', name ?? '', open === undefined ? `(${definition}) ` : `(${definition}, `].join(''),
  );
}

/** Variables written where they are used. */
const variableToLiteral: Change = (operation, random) => {
  const literal = (value: unknown): string => JSON.stringify(value ?? null).replace(/"(\w+)":/g, '$1: ');
  const values = (operation.variables ?? {}) as Record<string, unknown>;
  let document = documentText(operation.document);
  for (const [name, value] of Object.entries(values)) {
    if (random.chance(0.7))
      document = document.replace(new RegExp(`: \\$${name.replace(/\W/g, '')}\\b`, 'g'), () => `: ${literal(value)}`);
  }
  return { ...operation, document };
};

const text: Change = (operation, random) => {
  const document = documentText(operation.document);
  const at = random.upTo(document.length);
  const piece = random.pick(pieces);
  const changes = [
    () => document.slice(0, at),
    () => document.slice(0, at) + piece + document.slice(at),
    () => document.slice(0, at) + document.slice(at + random.upTo(10)),
    () => `${document}\n${document}`,
    () =>
      document.replace(
        /\b(id|channel|slug|entry|entries)\b/,
        random.pick(['__proto__', 'constructor', 'toString', '_entities', 'node', '__typename']),
      ),
    () => oddText(random),
  ];
  return { ...operation, document: random.pick(changes)() };
};

const variables: Change = (operation, random) => ({ ...operation, variables: mutateJson(operation.variables, random) });

const operationKind: Change = (operation, random) => {
  if (typeof operation.document === 'string') return operation;
  const kind = random.pick(Object.values(OperationTypeNode));
  return {
    ...operation,
    document: visit(operation.document, { OperationDefinition: (node) => ({ ...node, operation: kind }) }),
  };
};

const envelope: Change = (operation, random) => {
  const hash = 'ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38';
  const changes: (() => Operation)[] = [
    () => ({
      ...operation,
      operationName: random.pick(['A', 'B', 'One', '', null, 1, ['A'], '__proto__', 'x'.repeat(2000)]),
    }),
    () => ({ ...operation, others: { query: oddValue(random) } }),
    () => ({ ...operation, others: { extensions: oddValue(random) } }),
    () => ({
      ...operation,
      others: { extensions: { persistedQuery: { version: 1, sha256Hash: random.pick([hash, 'x', 1, null]) } } },
    }),
    () => ({
      ...operation,
      others: { query: undefined, extensions: { persistedQuery: { version: 1, sha256Hash: hash } } },
    }),
    () => ({ ...operation, others: { [random.pick(['id', 'documentId', '__proto__x', 'batch'])]: oddValue(random) } }),
    () => ({ ...operation, batch: random.pick([0, 1, 2, 10]) }),
    () => ({ ...operation, byGet: operation.byGet !== true }),
    () => ({ ...operation, variables: random.pick([null, undefined, 'x', '{}', [], 1, true]) }),
  ];
  return random.pick(changes)();
};

const changes: readonly (readonly [string, Change])[] = [
  ['tree', tree],
  ['tree', tree],
  ['tree', tree],
  ['tree', tree],
  ['tree', tree],
  ['literal to variable', literalToVariable],
  ['variable to literal', variableToLiteral],
  ['document text', text],
  ['variables', variables],
  ['variables', variables],
  ['variables', variables],
  ['kind of operation', operationKind],
  ['envelope', envelope],
];

/** Mutations of drafts that hold an operation; others stay as they are. */
export const graphqlMutations = changes.map(
  ([name, change]) =>
    [
      name,
      (draft: Draft, random: Random): Draft =>
        draft.body !== null && 'operation' in draft.body
          ? withOperation(draft, change(draft.body.operation, random))
          : draft,
    ] as const,
);

function withOperation(draft: Draft, operation: Operation): Draft {
  const wasGet = draft.body !== null && 'operation' in draft.body && draft.body.operation.byGet === true;
  const isGet = operation.byGet === true;
  if (wasGet === isGet) return { ...draft, body: { operation } };
  return {
    ...draft,
    method: isGet ? 'GET' : 'POST',
    headers: [...draft.headers, ['Apollo-Require-Preflight', '1']],
    body: { operation },
  };
}

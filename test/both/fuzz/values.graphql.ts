// Values that break GraphQL documents: literals, names, directives, and whole definitions.
import { words } from '../../support/words.ts';

/** Names of fields and arguments. */
export const strange = words('__proto__ constructor toString nope __typename __schema hasOwnProperty secret then');

export const literals = [
  ...words(
    'null true 0 -1 1.5 1e400 2147483648 99999999999999999999 "" "x" "\\u0000" "\\u{1F600}" """block""" DRAFT NOPE',
  ),
  ...words('[] {} [null] [[]] {a:1} {__proto__:{x:1}} {constructor:null} [1,"a",{}] 250 251 "*" "users" ["slug"]'),
  ...words('["-_owner"] ["created_at","created_at"] ["title"] "news" "desk" "safe" "2026-02-30T00:00:00Z"'),
  ...words('"~vault.news-draft.id~" "~vault.safe-secret.slug~" "~play.desk-bob.id~" "~vault.cursor~"'),
];

/** Literals that fit a type, by its name. */
export const fitting: Readonly<Record<string, readonly string[]>> = {
  ID: words('"news" "desk" "~play.news-open.id~" "~vault.news-draft.id~" "~vault.desk-bob.id~" "~play.id.ann~"'),
  Int: ['1', '5', '250'],
  Boolean: ['true', 'false'],
  String: words('"slug" "~play.cursor~" "title" "-created_at"'),
};

export const directives = [
  ...['@skip(if: false)', '@skip(if: true)', '@include(if: true)', '@include(if: $nope)', '@skip', '@include(if: "x")'],
  ...['@defer', '@stream', '@nope', '@deprecated', '@skip(if: false) @skip(if: true)', '@__proto__(a: 1)'],
  '@include(if: true) '.repeat(30),
];

/** Types of fragments. */
export const types = words(
  'Entry Channel Query Mutation EntryConnection Customer Nope __Type ID EntryInput String Token PageInfo',
);

/** Types of variables. */
export const variableTypes = words('ID! String Int Boolean! JSON [ID!]! EntryInput! DateTime Nope [[Int]]');

/** Declarations of variables. */
export const declarations = [
  ...['$id: ID', '$id: [ID!]', '$id: Int! = 5', '$x: Nope', '$input: JSON!', '$a: String = null', '$id: Entry'],
  '$first: Int = "x"',
];

/** Fragments F on a type: sound, cyclic, there twice, not there, and spread again and again. */
export function fragments(on: string): string[] {
  return [
    `fragment F on ${on} { id }`,
    `fragment F on ${on} { ...F }`,
    `fragment F on ${on} { ...G } fragment G on ${on} { ...F id }`,
    `fragment F on ${on} { __typename } fragment F on ${on} { id }`,
    `fragment G on ${on} { id }`,
    `fragment F on ${on} { ${'...G '.repeat(20)} } fragment G on ${on} { ${'...H '.repeat(20)} } fragment H on ${on} { id }`,
  ];
}

/** Definitions that may stand beside others, or in their stead. */
export const definitions = [
  ...['query A { channels { id } }', 'query Other { __typename }', '{ channels { id } }', 'subscription { x }'],
  ...['mutation M { deleteEntry(channel: "desk", id: "~vault.desk-nobody.id~") }', 'type X { a: Int }'],
  ...['{ __schema { types { name fields { name type { name } } } } }', 'extend type Query { x: Int }'],
  '{ __type(name: "Entry") { name } }',
];

/** Pieces that stand nowhere in a document. */
export const pieces = [
  ...words(
    '\0 \ufeff \u202e \ud800 " """ # \\u{110000} "\\uD800" { } ( $ ... @ ! & | ,,,, -0 1e999 99999999999999999999',
  ),
  ...['# comment\n', '\n'.repeat(1000), '""" block\n """', ' id '.repeat(150), '{ id '.repeat(100)],
];

// Attacks by documents of GraphQL: one that left rejections unhandled, and new ones that have to be parsed and validated each time.
import { send } from '../scratchService.mjs';

const times = (count, text) => Array.from({ length: count }, (_, at) => text(at)).join(' ');
const pick = (list) => list[Math.floor(Math.random() * list.length)];
const document = (make) => (service) => send(service, service.tokens.attacker, '/graphql', { query: make() });
/** Makes a document one that the service has not seen. */
const anew = (text) => `${text} # ${Math.random()}`;

const directed = `{ entries(channel: "blog", first: 250) { nodes @include(if: true) {
  ${times(96, (at) => `a${at}: fields`)} channel { fields { name } } } } }`;

const oneField = () => anew(`{ ${times(480, () => 'channels { fields { name } }')} }`);
const oneFieldThatConflicts = () => anew(`{ ${times(480, (at) => `entry(channel: "x", id: "${at}") { id }`)} }`);
const fragments = () =>
  anew(
    `{ channels { ${times(350, (at) => `...F${at}`)} } } ${times(350, (at) => `fragment F${at} on Channel { id name }`)}`,
  );

/** A valid document of random fields, nested and under random aliases. */
function randomDocument() {
  const members = [
    'id',
    'slug',
    'url',
    'createdAt',
    'fields',
    'titleFieldValue',
    'channel { id name }',
    'acl { actor }',
  ];
  const entry = (depth) => {
    const own = times(40, (at) => `m${depth}x${at}: ${pick(members)}`);
    return depth === 0 ? own : `${own} r: reference(field: "r") { ${entry(depth - 1)} }`;
  };
  return anew(`{ entries(channel: "small", first: 1) { nodes { ${entry(1)} } } }`);
}

/** Name, how many at the same time, and what is sent. */
export const documentAttacks = [
  ['a directive on a list that is too large', 4, document(() => directed)],
  ['new documents: one field 480 times', 40, document(oneField)],
  ['new documents: one field 480 times, with other arguments', 40, document(oneFieldThatConflicts)],
  ['new documents: 350 fragments of two fields', 40, document(fragments)],
  ['new documents: valid ones at random', 40, document(randomDocument)],
  [
    'new documents: of any of these shapes',
    40,
    document(() => pick([oneField, oneFieldThatConflicts, fragments, randomDocument])()),
  ],
];

// Requests that may cost much, made at random by fast-check: documents, the parameters of lists, and the contents of entries.
import fc from 'fast-check';

/** A request by REST or GraphQL. */
export interface CostlyRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/** So many aliases of a selection. */
export const aliases = (selection: string, count = 97): string =>
  Array.from({ length: count }, (_, at) => `a${at}: ${selection}`).join(' ');

/** What a document selects of an entry: some members, under many aliases, and the entries that it refers to. */
const members = fc.constantFrom(
  ...['fields', 'titleFieldValue', 'url', 'acl { actor }', 'channel { fields { options } }', 'channel { description }'],
);
const { entry } = fc.letrec<{ entry: string; connection: string }>((tie) => ({
  connection: fc
    .tuple(fc.integer({ min: 1, max: 250 }), fc.boolean(), tie('entry'))
    .map(
      ([first, counts, nodes]) => `(field: "r", first: ${first}) { ${counts ? 'totalCount ' : ''}nodes { ${nodes} } }`,
    ),
  entry: fc
    .array(
      fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.tuple(members, fc.integer({ min: 1, max: 50 })),
        fc.tuple(
          tie('connection').map((connection) => `references${connection}`),
          fc.integer({ min: 1, max: 5 }),
        ),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) =>
      parts.map(([selection, count], at) => aliases(selection, count).replaceAll(/\ba(\d+):/g, `s${at}x$1:`)).join(' '),
    ),
}));

const channel = fc.constantFrom('big', 'small', 'many');

/** Documents that ask for a list of the channels `big`, `small` and `many`; the field `r` of the latter has references. */
export const costlyDocument = fc
  .record({ channel, first: fc.integer({ min: 1, max: 250 }), entry })
  .map(({ channel, first, entry }) => `{ entries(channel: "${channel}", first: ${first}) { nodes { ${entry} } } }`);

/** What may be added to a selection: nothing, mostly. The variable is given with the operation. */
const directive = fc.constantFrom(
  ...['', '', '', '@include(if: $on)', '@skip(if: $on)', '@include(if: true)', '@skip(if: false)'],
  ...['@include(if: false)', '@skip(if: true)', '@include(if: true) @skip(if: $on)'],
);

/** Adds directives to selections of a document at random, and sometimes introspection. */
function addDirectives(document: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(document, fc.array(directive, { minLength: 1, maxLength: 30 }), fc.boolean(), fc.boolean())
    .map(([text, directives, isDirected, introspects]) => {
      const more = introspects ? ' __schema { queryType { name } } __type(name: "Entry") { name }' : '';
      if (!isDirected) return text.replace(/\}$/, `${more} }`);
      let at = 0;
      const next = (): string => directives[at++ % directives.length] ?? '';
      const directed = text.replaceAll(/(?<=[\w)] )\{|(?<= )(?:fields|url|titleFieldValue)(?= [^{])/g, (found) =>
        found === '{' ? `${next()} {` : `${found} ${next()}`,
      );
      const used = '... @include(if: $on) { __typename }';
      return `query ($on: Boolean! = true) ${directed.replace(/\}$/, `${used}${more} }`)}`;
    });
}

/** Documents as `costlyDocument`, of which about half have directives by the variable `on`, and some ask for the schema. */
export const directedDocument = addDirectives(costlyDocument);

/** The same for the schema of the site. */
export const directedSiteDocument = addDirectives(
  fc
    .record({
      first: fc.integer({ min: 1, max: 250 }),
      below: fc.integer({ min: 1, max: 30 }),
      parts: fc.array(
        fc.tuple(
          members.filter((each) => !each.startsWith('channel { f')),
          fc.integer({ min: 1, max: 20 }),
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
    })
    .map(({ first, below, parts }) => {
      const select = (prefix: string): string =>
        parts
          .map(([selection, count], at) => aliases(selection, count).replaceAll(/\ba(\d+):/g, `${prefix}${at}x$1:`))
          .join(' ');
      const own = select('o').replaceAll(/: fields\b/g, ': url');
      return `{ many(first: ${first}) { nodes { ${own} r(first: ${below}) { totalCount nodes { ${select('b')} } } } } }`;
    }),
);

/** Texts of some hundred characters at most: letters that are folded, words, marks, digits, and characters without meaning. */
const text = fc
  .tuple(
    fc.constantFrom('a', 'lorem ', 'ß', 'İ', '\uFDFA', 'e\u0301\u0323', '\u{1F600}', '9', '"', '%_', '\\', '(', '-'),
  )
  .chain(([part]) => fc.integer({ min: 1, max: 60 }).map((times) => part.repeat(times)));

/** Short, so that a filter has room for many within a URL. */
const word = text.map((each) => each.slice(0, 6));

const name = fc.constantFrom('title', 'body', 'r.slug', 'r.title', '_owner', 'slug', 'created_at');
const comparison = fc.oneof(
  fc.record({ contains: word }),
  fc.record({ eq: word }),
  fc.record({ not: word }),
  fc.record({ in: fc.array(word, { minLength: 1, maxLength: 60 }) }),
);
const { filter } = fc.letrec<{ filter: object }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.tuple(name, comparison).map(([name, compared]) => ({ [name]: compared })),
    fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 12 }) }),
    fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 12 }) }),
    fc.record({ not: tie('filter') }),
  ),
}));
const list: fc.Arbitrary<CostlyRequest> = fc
  .record(
    {
      per_page: fc.integer({ min: 1, max: 250 }).map(String),
      q: text,
      where: filter.map((each) => JSON.stringify(each)),
      sort: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }).map((names) => names.join(',')),
      include: fc.constantFrom('r', 'r.r'),
      only: fc.constantFrom('title', 'r', 'title,body'),
    },
    { requiredKeys: [] },
  )
  .chain((parameters) =>
    channel.map((id) => ({
      method: 'GET',
      path: `/channels/${id}/entries?${new URLSearchParams(parameters as Record<string, string>).toString()}`,
    })),
  );

const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.tuple(text, fc.integer({ min: 1, max: 3_000 })).map(([part, times]) => part.repeat(times).slice(0, 300_000)),
  fc.integer({ min: 1, max: 15_000 }).map((length) => Array.from({ length }, (_, at) => `value ${at}`)),
  fc
    .integer({ min: 1, max: 9_000 })
    .map((length) => Object.fromEntries(Array.from({ length }, (_, at) => [`m${at}`, at]))),
  fc.integer({ min: 1, max: 30 }).map((depth) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown),
);
const creation: fc.Arbitrary<CostlyRequest> = fc
  .record({ title: text, body: value, other: value }, { requiredKeys: ['title'] })
  .map((body) => ({ method: 'POST', path: '/channels/big/entries', body }));

const repeat = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

/** Shapes of documents that take long to validate, valid or not, by how many parts they have. */
const shapes: readonly ((count: number) => string)[] = [
  (count) => `{ ${repeat(count, () => 'channels { id }')} }`,
  (count) => `{ ${repeat(count, (at) => `channel(id: "${at}") { id }`)} }`,
  (count) =>
    `{ channels { ${repeat(count, (at) => `...F${at}`)} } } ${repeat(count, (at) => `fragment F${at} on Channel { id name }`)}`,
  (count) =>
    `{ channels { ...F0 } } ${repeat(count, (at) => `fragment F${at} on Channel { id ...F${at + 1} ...F${at + 1} }`)}`,
  (count) => `{ ${repeat(count, (at) => `nothing${at}`)} }`,
  (count) => `{ channels { ${repeat(count, () => '... {')} id ${'}'.repeat(count)} } }`,
  (count) =>
    `${repeat(count, (at) => `query Q${at} ($v: ID!) { ...F }`)} fragment F on Query { ${repeat(count, (at) => `a${at}: channel(id: $v) { id }`)} }`,
  (count) => `query (${repeat(count, (at) => `$v${at}: Int`)}) { channels { id } }`,
  (count) =>
    `{ entries(channel: "small", where: [${repeat(count, () => '{ field: "x", op: EQ, value: 1 }')}]) { nodes { id } } }`,
  (count) => `{ channels { id ${repeat(count, (at) => `@d${at}`)} } }`,
];

/** Documents that no service has seen: most of them are refused. */
export const newDocument = fc
  .tuple(fc.constantFrom(...shapes), fc.integer({ min: 1, max: 700 }), fc.uuid())
  .map(([shape, count, id]) => `${shape(count)} # ${id}`);

/** A request of any of these kinds. */
export const costlyRequest: fc.Arbitrary<CostlyRequest> = fc.oneof(
  newDocument.map((query): CostlyRequest => ({ method: 'POST', path: '/graphql', body: { query } })),
  costlyDocument.map((query): CostlyRequest => ({ method: 'POST', path: '/graphql', body: { query } })),
  list,
  creation,
);

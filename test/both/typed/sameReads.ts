// What both schemas show of a channel's entries.
import { expect } from '@jest/globals';
import { getNamedType, isLeafType, type GraphQLOutputType } from 'graphql';
import type { Caller } from '../../support/as.ts';
import { plain, typed, type Made, type Page, type Row } from './ask.ts';
import type { GeneratedChannel, GeneratedField } from './generated.ts';
import { channelInSchema, type ChannelInSchema, type SiteSchema } from './siteSchema.ts';

const fixed = `id shortId slug url createdAt updatedAt titleFieldValue status publishAt owner version channel { id }
  acl { actor read }`;
const stub = '{ id slug titleFieldValue channel { id } }';

/** What is selected of an entry through its type. */
function selection({ fields }: ChannelInSchema, { fields: declared }: GeneratedChannel): string {
  if (declared.length === 0) return `{ ${fixed} own: fields }`;
  const own = [...fields.values()].map(({ name, type }) => `${name} ${below(type)}`);
  return `{ ${fixed} ${own.join(' ')} }`;
}

function below(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (named.name === 'GeoPoint') return '{ type coordinates }';
  if (named.name === 'File') return '{ url filename contentType size }';
  return named.name.endsWith('Connection') ? `{ totalCount nodes ${stub} }` : stub;
}

/** Every entry, fetched and listed, is the same by both schemas. */
export async function expectSameReads(
  caller: Caller,
  schema: SiteSchema,
  channel: GeneratedChannel,
  rows: readonly Made[],
): Promise<void> {
  const names = channelInSchema(schema, channel.id);
  if (names === null) throw new Error(`The schema has no channel ${channel.id}.`);
  // Each field is there under a name of its own.
  expect([...names.fields.keys()].sort()).toEqual(channel.fields.map(({ name }) => name).sort());
  expect(new Set([...names.fields.values()].map(({ name }) => name)).size).toBe(channel.fields.length);
  const select = selection(names, channel);
  const fetches = (make: (id: string) => string): string =>
    rows.flatMap(({ id, slug }, at) => [`by_id${at}: ${make(id)}`, `by_slug${at}: ${make(slug)}`]).join(' ');
  const { list, ...one } = await typed<{ list: Page } & Record<string, Row>>(
    caller,
    `{ list: ${names.list} { nodes ${select} } ${fetches((id) => `${names.one}(id: "${id}") ${select}`)} }`,
  );
  // A document with a directive is executed by graphql-js itself.
  const directed = `{ list: ${names.list} @include(if: true) { nodes ${select} } }`;
  expect(await typed(caller, directed)).toEqual({ list });
  const same = await plain<{ list: Page } & Record<string, Row>>(
    caller,
    `query ($channel: ID!) { list: entries(channel: $channel) { nodes { ${fixed} fields } }
      ${fetches((id) => `entry(channel: $channel, id: "${id}") { ${fixed} fields }`)} }`,
    { channel: channel.id },
  );
  const { list: plainList, ...plainOne } = same;
  const ofType = (row: Row): Row => plainForm(row, names, channel);
  expect(list.nodes.map(ofType)).toEqual(plainList.nodes);
  expect(Object.fromEntries(Object.entries(one).map(([alias, row]) => [alias, ofType(row)]))).toEqual(plainOne);
}

/** An entry of its type, as the static schema shows it. */
function plainForm(row: Row, { fields }: ChannelInSchema, channel: GeneratedChannel): Row {
  if (channel.fields.length === 0) {
    const { own, ...rest } = row;
    return { ...rest, fields: own };
  }
  const own = channel.fields.map(({ name: rest, type }) => {
    const name = fields.get(rest)?.name ?? '';
    return [rest, plainValue(row[name], type)] as const;
  });
  const declared = new Set([...fields.values()].map(({ name }) => name));
  const others = Object.entries(row).filter(([name]) => !declared.has(name));
  return { ...Object.fromEntries(others), fields: Object.fromEntries(own) };
}

function plainValue(value: unknown, type: GeneratedField['type']): unknown {
  if (value === null) return null;
  if (type === 'reference') return plainStub(value as Row);
  if (type === 'references') {
    const { nodes, totalCount } = value as Page & { totalCount: number };
    expect(totalCount).toBe(nodes.length);
    return nodes.map(plainStub);
  }
  if (type !== 'file') return value;
  const { contentType, ...file } = value as Row;
  const members = Object.entries({ ...file, content_type: contentType });
  return Object.fromEntries(members.filter(([, member]) => member !== null));
}

function plainStub({ id, slug, titleFieldValue, channel }: Row): Row {
  return { id, slug, title_field_value: titleFieldValue, channel: (channel as { id: string }).id };
}

// The schema of a site as its callers read it: which type, field, input and sort value stands for what, found by what the text
// says of each (docs/contract.md §11.2), whatever it is called.
import { expect } from '@jest/globals';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  validateSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLInputObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import type { Caller } from '../../support/as.ts';

export interface SiteSchema {
  readonly schema: GraphQLSchema;
  readonly sdl: string;
}

/** How a channel is called. */
export interface ChannelInSchema {
  readonly type: string;
  readonly one: string;
  readonly list: string;
  readonly create: string;
  readonly update: string;
  readonly remove: string;
  readonly where: GraphQLInputObjectType;
  readonly sort: string;
  readonly input: string;
  readonly patch: string;
  /** The names of declared fields in answers, by those in REST; and their types. */
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly type: GraphQLOutputType }>;
  /** The names of declared fields in inputs. */
  readonly inputs: ReadonlyMap<string, string>;
  /** The values of sort, each with the key that it stands for. */
  readonly sorts: ReadonlyMap<string, string>;
}

/** Reads the schema of a caller. */
export async function readSiteSchema(caller: Caller): Promise<SiteSchema> {
  const { status, text: sdl } = await caller.rest('GET', '/graphql/site/schema.graphql');
  expect([status, sdl.slice(0, 200)]).toEqual([200, expect.any(String)]);
  const schema = buildSchema(sdl);
  expect(validateSchema(schema)).toEqual([]);
  return { schema, sdl };
}

/** Finds a channel; null if the schema has nothing of it. */
export function channelInSchema({ schema }: SiteSchema, id: string): ChannelInSchema | null {
  const described = ({ description }: { description?: string | null | undefined }): boolean =>
    description?.includes(`the channel \`${id}\``) === true;
  const fieldsOf = (root: 'getQueryType' | 'getMutationType'): GraphQLField<unknown, unknown>[] =>
    Object.values(schema[root]()?.getFields() ?? {}).filter(described);
  const queries = fieldsOf('getQueryType');
  if (queries.length === 0) return null;
  const list = only(queries.filter(({ args }) => args.some(({ name }) => name === 'where')));
  const one = only(queries.filter(({ args }) => args.some(({ name }) => name === 'id')));
  const named = (verb: string): GraphQLField<unknown, unknown> =>
    only(fieldsOf('getMutationType').filter(({ description }) => description?.startsWith(verb)));
  const [create, update, remove] = [named('Creates'), named('Updates'), named('Deletes')];
  const entry = getNamedType(one.type);
  const where = getNamedType(argument(list, 'where'));
  const sort = getNamedType(argument(list, 'sort'));
  const input = getNamedType(argument(create, 'input'));
  if (!isObjectType(entry) || !isInputObjectType(where) || !isEnumType(sort) || !isInputObjectType(input)) {
    throw new Error(`These are no types of a channel: ${entry.name}, ${where.name}, ${sort.name}`);
  }
  const fields = Object.values(entry.getFields()).flatMap(({ name, type, description }) =>
    restNames(description).map((rest) => [rest, { name, type }] as const),
  );
  const inputs = Object.values(input.getFields()).flatMap(({ name, description }) =>
    restNames(description).map((rest) => [rest, name] as const),
  );
  return {
    ...{ type: entry.name, one: one.name, list: list.name, where, sort: sort.name, input: input.name },
    ...{ create: create.name, update: update.name, remove: remove.name },
    patch: getNamedType(argument(update, 'input')).name,
    fields: new Map(fields),
    inputs: new Map(inputs),
    sorts: new Map(sort.getValues().map(({ name, description }) => [name, sortKey(description)])),
  };
}

/** A member of a condition: its name, that of what it compares in REST, and its operators with the types of their operands. */
export interface ComparedMember {
  readonly name: string;
  readonly rest: string;
  readonly operators: readonly { readonly name: string; readonly type: GraphQLInputType }[];
  /** Whether it compares references, also by members of what they lead to. */
  readonly isReference: boolean;
  readonly input: GraphQLInputObjectType;
}

/** The members of a condition that compare something. */
export function comparedMembers(where: GraphQLInputObjectType): ComparedMember[] {
  return Object.values(where.getFields()).flatMap(({ name, type, description }): ComparedMember[] => {
    const [rest] = [...restNames(description), ...comparedNames(description)];
    const input = getNamedType(type);
    if (rest === undefined || !isInputObjectType(input)) return [];
    const operators = Object.values(input.getFields()).filter(
      ({ description: text, type: operand }) =>
        restNames(text).length + comparedNames(text).length === 0 && !isFree(operand),
    );
    return [{ name, rest, input, operators, isReference: input.name.endsWith('ReferenceWhere') }];
  });
}

/** Whether an input compares fields that a channel does not declare. */
export function isFree(input: GraphQLInputType): boolean {
  return getNamedType(input).name === 'FieldComparison';
}

function restNames(description: string | null | undefined): string[] {
  return [...(description ?? '').matchAll(/In REST: `([a-z0-9_]+)`/g)].map(([, rest = '']) => rest);
}

function comparedNames(description: string | null | undefined): string[] {
  return [...(description ?? '').matchAll(/^Compares `([a-z_]+)`/g)].map(([, rest = '']) => rest);
}

/** `-year` for "By `year`, descending." */
function sortKey(description: string | null | undefined): string {
  const [, rest = '', order = ''] = /^By `(\w+)`, (ascending|descending)\.$/.exec(description ?? '') ?? [];
  expect([description, rest]).toEqual([description, expect.stringMatching(/./)]);
  return `${order === 'descending' ? '-' : ''}${rest}`;
}

function argument({ args, name }: GraphQLField<unknown, unknown>, wanted: string): GraphQLInputType {
  const found = args.find((each) => each.name === wanted);
  if (!found) throw new Error(`${name} has no argument ${wanted}.`);
  return found.type;
}

function only<Item>(items: readonly Item[]): Item {
  const [item] = items;
  expect(items).toHaveLength(1);
  if (item === undefined) throw new Error('There is none.');
  return item;
}

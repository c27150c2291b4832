// What both schemas find in a channel: by every operator and order, and page by page.
import { expect } from '@jest/globals';
import { getNamedType, isEnumType } from 'graphql';
import { enums } from '../../../src/base/enums.ts';
import type { Caller, GraphqlAnswer } from '../../support/as.ts';
import { plain, typed, typedFile, type Made, type Row } from './ask.ts';
import type { GeneratedChannel } from './generated.ts';
import {
  channelInSchema,
  comparedMembers,
  isFree,
  type ChannelInSchema,
  type ComparedMember,
  type SiteSchema,
} from './siteSchema.ts';

/** How many questions are in one document. */
const asked = 60;

/** The arguments of a list in either schema, that are to find the same. */
interface Question {
  readonly typed: { readonly where?: unknown; readonly sort?: readonly string[]; readonly first?: number };
  readonly plain: { readonly where?: unknown; readonly sort?: readonly string[]; readonly first?: number };
  /** Whether it may be refused, because a value is of any type. */
  readonly isOpaque?: boolean;
}

/** Every operator of every member, on both sides of `not`, beyond references too; every order; and pages of one. */
export async function expectSameLists(
  caller: Caller,
  schema: SiteSchema,
  channel: GeneratedChannel,
  rows: readonly Made[],
): Promise<void> {
  const names = channelInSchema(schema, channel.id);
  if (names === null) throw new Error(`The schema has no channel ${channel.id}.`);
  const compared = comparedMembers(names.where).flatMap((member) => [
    ...comparisons(member, rows, channel),
    ...(member.isReference ? hops(member, rows) : []),
  ]);
  const orders = [...names.sorts].map(([name, key]): Question => ({ typed: { sort: [name] }, plain: { sort: [key] } }));
  const first = compared.slice(0, 2).map(({ typed: { where } }) => where);
  const joined = compared.slice(0, 2).map(({ plain: { where } }) => where);
  const both: Question[] = [
    { typed: { where: { or: first } }, plain: { where: { or: joined } } },
    { typed: { where: { and: first } }, plain: { where: { and: joined } } },
  ];
  const questions = [...compared, ...compared.map(negated), ...orders, ...both, ...freely(rows, channel)];
  expect(questions.length).toBeGreaterThan(20);
  for (let at = 0; at < questions.length; at += asked) {
    await expectSameAnswers(caller, names, channel, questions.slice(at, at + asked));
  }
  await expectSamePages(caller, names, channel);
}

function negated({ typed: { where: typedWhere }, plain: { where: plainWhere }, ...rest }: Question): Question {
  return {
    ...rest,
    typed: { where: { not: typedWhere } },
    plain: { where: { not: plainWhere } },
  };
}

/** The operator of the static schema. */
function plainOperator(name: string): string {
  const rest = name === 'has' ? 'eq' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const found = Object.entries(enums.FilterOp).find(([, value]) => value === rest);
  expect([name, found]).toEqual([name, expect.any(Array)]);
  return found?.[0] ?? '';
}

/** Each operator of a member with a value that an entry has. */
function comparisons(member: ComparedMember, rows: readonly Made[], channel: GeneratedChannel): Question[] {
  const sample = rows.map((row) => row[member.rest]).find((value) => value !== null && value !== undefined);
  const value = Array.isArray(sample) ? (sample as unknown[]).find((item) => item !== null) : sample;
  return member.operators.flatMap(({ name, type }): Question[] => {
    if (name === 'exists') return [question(member, name, true, true)];
    if (value === undefined) return [];
    const isPart = name === 'contains' || name === 'startsWith' || name === 'endsWith';
    const one = member.isReference ? (value as Made).id : isPart ? beginning(value) : value;
    const isFile = channel.fields.some((field) => field.name === member.rest && field.type === 'file');
    const isStatus = member.rest === '_status' && isEnumType(getNamedType(type));
    const own = isFile ? typedFile(one as Row) : isStatus ? (one as string).toUpperCase() : one;
    const isOpaque = channel.fields.some((field) => field.name === member.rest && field.type === 'json');
    const isList = name === 'in' || name === 'nin' || name === 'all';
    return [{ ...question(member, name, isList ? [own] : own, isList ? [one] : one), isOpaque }];
  });
}

/** The first characters of a text, or of the JSON of what is none. */
function beginning(value: unknown): string {
  return [...(typeof value === 'string' ? value : JSON.stringify(value))].slice(0, 2).join('');
}

function question(member: ComparedMember, operator: string, typedValue: unknown, plainValue: unknown): Question {
  return {
    typed: { where: { [member.name]: { [operator]: typedValue } } },
    plain: { where: { field: member.rest, op: plainOperator(operator), value: plainValue } },
  };
}

/** What a reference leads to, by whether its members are there, and by the slug. */
function hops(reference: ComparedMember, rows: readonly Made[]): Question[] {
  const target = rows.flatMap((row) => (row[reference.rest] ?? []) as Made | Made[])[0];
  const free = Object.values(reference.input.getFields()).find(({ type }) => isFree(type));
  const undeclared = free ? [{ name: 'title', op: 'EXISTS', value: true }] : [];
  const freely = undeclared.map(({ name, op, value }): Question => ({
    typed: { where: { [reference.name]: { [free?.name ?? '']: [{ name, op, value }] } } },
    plain: { where: { field: `${reference.rest}.${name}`, op, value } },
  }));
  const declared = comparedMembers(reference.input).flatMap((member): Question[] => {
    const path = `${reference.rest}.${member.rest}`;
    const tests: [string, unknown][] = [['exists', true]];
    if (member.rest === 'slug' && target) tests.push(['eq', target.slug], ['contains', target.slug.slice(1, 3)]);
    return tests.map(([operator, value]) => ({
      typed: { where: { [reference.name]: { [member.name]: { [operator]: value } } } },
      plain: { where: { field: path, op: plainOperator(operator), value } },
    }));
  });
  return [...freely, ...declared];
}

/** Comparisons in a channel that declares no fields. */
function freely(rows: readonly Made[], { fields }: GeneratedChannel): Question[] {
  if (fields.length > 0) return [];
  const names = ['title', 'a b', 'x', 'year'];
  return names.flatMap((name) => {
    const value = rows.map((row) => row[name]).find((each) => each !== undefined && each !== null) ?? 'none';
    return [
      { name, op: 'EXISTS', value: true },
      { name, op: 'EQ', value },
    ].map((each): Question => {
      const { name: field, op, value: operand } = each;
      return { typed: { where: { fields: [each] } }, plain: { where: { field, op, value: operand } } };
    });
  });
}

/** Both schemas find the same entries, in the same order. */
async function expectSameAnswers(
  caller: Caller,
  { list, where, sort }: ChannelInSchema,
  { id: channel }: GeneratedChannel,
  questions: readonly Question[],
): Promise<void> {
  const variables = (which: 'typed' | 'plain'): Row =>
    Object.fromEntries(
      questions.flatMap((each, at) => [
        [`w${at}`, each[which].where ?? null],
        [`s${at}`, each[which].sort ?? null],
      ]),
    );
  const document = (field: string, whereType: string, sortType: string): string => {
    const declared = questions.map((_each, at) => `$w${at}: ${whereType} $s${at}: [${sortType}!]`);
    const fields = questions.map((_each, at) => `q${at}: ${field}where: $w${at}, sort: $s${at}) { nodes { id } }`);
    return `query (${declared.join(' ')}) { ${fields.join(' ')} }`;
  };
  const own = document(`${list}(`, where.name, sort);
  const found = await caller.gql<Row>(own, { ...variables('typed') }, { path: '/graphql/site' });
  const same = await caller.gql<Row>(document(`entries(channel: "${channel}", `, 'EntryFilter', 'String'), {
    ...variables('plain'),
  });
  const problem = found.status === 200 ? '' : found.errors?.[0]?.message;
  expect([same.status, found.status, problem]).toEqual([200, 200, '']);
  const answers = ({ data, errors = [] }: GraphqlAnswer<Row>): unknown[] => {
    const codes = new Map(errors.map(({ path, extensions }) => [path?.[0], extensions.code]));
    return questions.map((each, at) => [each.plain, data[`q${at}`] ?? codes.get(`q${at}`)]);
  };
  expect(answers(found)).toEqual(answers(same));
  const refused = questions.filter((each, at) => same.data[`q${at}`] === null && !each.isOpaque);
  expect(refused).toEqual([]);
}

/** Pages of one entry, by the cursor of the page before. */
async function expectSamePages(
  caller: Caller,
  { list, sorts }: ChannelInSchema,
  channel: GeneratedChannel,
): Promise<void> {
  const [sort = '', key = ''] = [...sorts].at(-1) ?? [];
  const page = '{ totalCount nodes { id } edges { node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } }';
  interface Answer {
    readonly page: { readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null } };
  }
  let after: string | null = null;
  for (let at = 0; at < channel.rows.length; at += 1) {
    const own: Answer = await typed(
      caller,
      `query ($after: String) { page: ${list}(sort: [${sort}], first: 1, after: $after) ${page} }`,
      { after },
    );
    const same: Answer = await plain(
      caller,
      `query ($after: String) {
        page: entries(channel: "${channel.id}", sort: ["${key}"], first: 1, after: $after) ${page} }`,
      { after },
    );
    expect(own).toEqual(same);
    expect(own.page.pageInfo.hasNextPage).toBe(at + 1 < channel.rows.length);
    after = own.page.pageInfo.endCursor;
  }
}

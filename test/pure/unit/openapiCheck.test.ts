// The check that holds every REST answer of the tests to the OpenAPI document can fail: each kind of misfit is found.
import { describe, expect, test } from '@jest/globals';
import { plainField, type FieldDefinition } from '../../../src/fields/definition.ts';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { Documents } from '../../../src/features/typed/openapi/document.ts';
import { settableGroups } from '../../../src/rules/callers.ts';
import { routes } from '../../../src/features.ts';
import { DocumentCheck } from '../../support/openapi/check.ts';

const fields: FieldDefinition[] = [
  { ...plainField, name: 'title', type: 'string', required: true },
  { ...plainField, name: 'year', type: 'integer' },
];
const settable = settableGroups({ kind: 'master', scopes: null }, '');
const films = {
  id: 'films',
  name: 'Films',
  typeName: null,
  publishable: true,
  fields: fields as unknown as Channel['fields'],
  settable,
};
const known = {
  ...({ kind: 'master', rights: [], scopes: null, settable, settableKey: () => '', version: '1' } as const),
  load: () => Promise.resolve([films]),
};
const check = new DocumentCheck((await new Documents(() => routes).describe(known, 'http://localhost').write()) ?? '');

const id = '0190a6b0-0000-7000-8000-000000000000';
const entry = {
  ...{ id, url: `http://localhost/channels/films/entries/${id}`, short_id: 'ABCDEFGHIJ', slug: 'alien' },
  ...{ channel: 'films', created_at: '2026-01-31T09:30:00.000Z', updated_at: '2026-01-31T09:30:00.000Z' },
  ...{ title_field_value: 'Alien', _status: 'published', _publish_at: null, title: 'Alien', year: 1979 },
};
const problem = {
  ...{ type: 'urn:entryway:problem:not_found', title: 'Not found', status: 404, detail: 'None.' },
  ...{ code: 'not_found', request_id: 'r' },
};

/** An exchange: `GET /channels/films/entries?year.gte=1970 → 200`, with its bodies. */
function findings(line: string, answer: unknown, sent?: unknown, headers: [string, string][] = []): string[] {
  const [method = '', url = '', , status] = line.split(' ');
  const type = Number(status) < 400 ? 'application/json' : 'application/problem+json';
  const exchange = {
    ...{ method, url, status: Number(status), body: answer === undefined ? '' : JSON.stringify(answer) },
    requestHeaders: [['Content-Type', 'application/json']] as const,
    requestBody: sent === undefined ? '' : JSON.stringify(sent),
    headers: [['Content-Type', type], ...headers] as const,
  };
  return check.findingsIn(exchange, url.split('?', 1)[0] ?? '');
}

const list = '/channels/films/entries';
const member = `${list}/alien`;
const { year: _year, ...withoutYear } = entry;
const { title: _title, ...withoutTitle } = entry;

describe('answers that fit have no findings', () => {
  test.each([
    [`GET ${list} → 200`, [entry]],
    [`GET ${list}?year.gte=1970&sort=-year,title&per_page=3&use_acl=TRUE → 200`, [entry]],
    [`GET ${list}?only=title → 200`, [{ id, title: 'Alien' }]],
    [`GET ${member} → 200`, { ...entry, year: null, _owner: null, _acl: { '*': { read: true } } }],
    [`GET ${member} → 404`, problem],
    [`GET ${list}?colour=red → 400`, { ...problem, status: 400, code: 'bad_request' }],
    [`PATCH ${member} → 200`, { id }, { year: null }],
    [`POST ${list} → 201`, entry, entry],
    [`POST ${list} → 422`, { ...problem, status: 422, code: 'validation_failed' }, { colour: 'red' }],
    [`POST ${list}/bulk → 200`, { results: [{ status: 422, error: problem }] }, { operations: [{ op: 'burn' }] }],
    [`DELETE ${member} → 204`, undefined],
    [`GET /customers → 200`, []],
  ] as [string, unknown, unknown?][])('an answer that fits has no findings: %s', (...[line, answer, sent]) => {
    expect(findings(line, answer, sent)).toEqual([]);
  });
});

describe('a misfit is found', () => {
  test.each([
    ['a member that the document lacks', `GET ${member} → 200`, { ...entry, colour: 'red' }],
    ['a member of another type', `GET ${member} → 200`, { ...entry, year: '1979' }],
    ['a member that is missing', `GET ${member} → 200`, withoutYear],
    ['a member that is missing in a list', `GET ${list} → 200`, [withoutYear]],
    ['a member that is missing in what was created', `POST ${list} → 201`, withoutYear, entry],
    ['a member that a refusal lacks', `GET ${member} → 404`, { ...problem, detail: undefined }],
    ['a member that a refusal has', `GET ${member} → 404`, { ...problem, stack: 'x' }],
    ['the code of another status', `GET ${member} → 404`, { ...problem, code: 'conflict' }],
    ['a status', `GET ${member} → 202`, entry],
    ['a path', '/nothing → 200', {}],
    ['a method', `POST ${member} → 200`, entry],
    ['a body where there is none', `DELETE ${member} → 204`, {}],
    ['a parameter', `GET ${list}?colour=red → 200`, []],
    ['an operator', `GET ${list}?year.contains=1 → 200`, []],
    ['a value', `GET ${list}?per_page=many → 200`, []],
    ['a sort key', `GET ${list}?sort=colour → 200`, []],
    ['a member of what was sent', `PATCH ${member} → 200`, { id }, { colour: 'red' }],
    ['a value that was sent', `PATCH ${member} → 200`, { id }, { year: 'late' }],
    ['a member that was not sent', `POST ${list} → 201`, entry, withoutTitle],
    [
      'an operation of a bulk',
      `POST ${list}/bulk → 200`,
      { results: [{ status: 200 }] },
      { operations: [{ op: 'burn' }] },
    ],
  ] as [string, string, unknown, unknown?][])('a misfit is reported: %s', (...[_what, line, answer, sent]) => {
    expect(findings(line, answer, sent)).not.toEqual([]);
  });

  test.each([
    ['X-Total-Bytes', '3'],
    ['X-Page', '0'],
    ['Location', '/here'],
  ])('a misfit in a header is reported: %s: %s', (name, value) => {
    expect(findings(`GET ${list} → 200`, [], undefined, [[name, value]])).toHaveLength(1);
    expect(findings(`GET ${list} → 200`, [], undefined, [['X-Page', '1']])).toEqual([]);
  });
});

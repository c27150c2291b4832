// Every argument has a row that says what it names, and what names a thing is looked up in no place but those that are
// written down: test/once/doors/arguments.ts has the rows.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { isInputObjectType } from 'graphql';
import { createSchema } from '../../../src/graphql/schema.ts';
import { resolvers, routes } from '../../../src/features.ts';
import { fieldsOf } from '../../support/doors.ts';
import { argumentTable, owners } from './arguments.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The source, by file: what requests pass, and so neither the command line nor what is generated. */
const sources = new Map(
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(generated|cli)\//.test(file))
    .map((file) => [`src/${file}`, readFileSync(join(root, 'src', file), 'utf8')]),
);

function ofSchema(): string[] {
  const schema = createSchema(resolvers);
  const named = [...fieldsOf(schema)].flatMap(([field, { args }]) => args.map(({ name }) => `${field}(${name})`));
  const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  return [...named, ...inputs.flatMap((type) => Object.keys(type.getFields()).map((name) => `${type.name}.${name}`))];
}

function ofRest(): string[] {
  return routes.flatMap(({ path, parameters, takesFilters }) => [
    ...[...path.matchAll(/:\w+/g)].map(([name]) => `path ${name}`),
    ...[...parameters, ...(takesFilters ? ['<field>'] : [])].map((name) => `query ?${name}`),
  ]);
}

/** What both doors add: REST's handler takes use_acl on every route, GraphQL's router names its own. */
function ofGraphqlUrl(): string[] {
  const [, list = ''] = /^const parameters = \[(.*?)\]/m.exec(sources.get('src/graphql/router.ts') ?? '') ?? [];
  return [...list.matchAll(/'(\w+)'/g)].map(([, name]) => `query ?${name ?? ''}`);
}

function headers(): string[] {
  const reading = /(?:\bread(?:Header|Filled)\([\w.]+, |\bconst \{ )'([a-z-]+)'/g;
  const found = [...sources.values()].flatMap((text) => [...text.matchAll(reading)]);
  return found.map(([, name = '']) => `header ${name}`);
}

test('each argument of the interfaces has a row in the table, and each row an argument', () => {
  const found = new Set([...ofSchema(), ...ofRest(), ...ofGraphqlUrl(), ...headers()]);
  expect([...found].sort()).toEqual([...argumentTable.keys()].sort());
});

test('the source reads headers only in the ways that the table of arguments is made from', () => {
  const readers = /\breq(?:uest)?\.(?:rawHeaders|headersDistinct|headers\b|cookies)|\bthis\.headersDistinct/g;
  const places = [...sources].flatMap(([file, text]) => [...text.matchAll(readers)].map(([way]) => `${file} ${way}`));
  // Those that `readHeader(…)` reads, and the cookies of /auth; the content type, which is a row; for GraphQL all, `Accept` set to what there is; for
  // traces what an SDK reads, such as `traceparent`.
  expect(places.sort()).toEqual([
    'src/admission/admission.ts request.headersDistinct',
    'src/admission/admission.ts request.headersDistinct',
    'src/admission/admission.ts request.headersDistinct',
    'src/auth/identify.ts request.headersDistinct',
    'src/features/changes/respond.ts request.headers',
    'src/features/changes/respond.ts request.headers',
    ...Array.from({ length: 7 }, () => 'src/features/signIn/door.ts request.headersDistinct'),
    'src/features/signIn/own/user.ts request.headersDistinct',
    'src/features/signIn/providers/door.ts request.headersDistinct',
    'src/features/signIn/smallBody.ts request.headersDistinct',
    'src/graphql/router.ts request.headers',
    'src/graphql/router.ts request.headersDistinct',
    'src/http/begin.ts request.headers',
    'src/http/compress.ts request.headers',
    'src/http/messages.ts this.headersDistinct',
    'src/http/messages.ts this.headersDistinct',
    'src/http/openContext.ts request.headersDistinct',
    'src/rest/mediaTypes.ts request.headersDistinct',
    'src/rest/respond.ts request.headers',
    'src/rest/respond.ts request.headers',
    'src/rest/route.ts request.headersDistinct',
    'src/telemetry/tracing.ts request.headers',
  ]);
});

describe.each(Object.entries(owners))(
  'an argument that names an object of the kind "%s"',
  (_thing, { owner, lookups, in: places }) => {
    test('the function that owns the look-up of named objects exists', () => {
      const [file, name] = owner;
      expect(sources.get(file)).toMatch(new RegExp(`(function|const) ${name}\\b`));
    });

    test('named objects are looked up in the listed files alone', () => {
      const found = [...sources].map(([file, text]) => [file, [...text.matchAll(lookups)].length] as const);
      expect(Object.fromEntries(found.filter(([, count]) => count > 0))).toEqual(places);
    });
  },
);

// Values that break what surrounds a body: methods, segments of paths, parameters, headers.
import type { Pair } from './request.ts';
import { words } from '../../support/words.ts';

export const methods = words(
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY LINK M-SEARCH get FOO CONNECT',
);

export const segments = [
  ...words('. .. %2e%2e ..%2f %2F %00 % %zz %ff %C0%AF %ed%a0%80 count bulk COUNT channels entries graphql Channels'),
  ...words('* ;x news;x news%20 news#x \' " \\ | é %F0%9F%98%80 __proto__ constructor null 0 -1 1e9'),
  ...words('~vault.news-draft.id~ ~vault.safe-secret.slug~ ~play.news-draft.short~ ~vault.desk-bob.id~'),
  ...['', ' news', 'x'.repeat(300), 'a'.repeat(9000), '00000000-0000-0000-0000-000000000000'],
];

export const parameters = [
  ...words('page per_page sort use_acl cursor where q only include query variables title page[] page[x] constructor'),
  ...words('__proto__[x] extensions operationName _method access_token a.b.c'),
  '',
];

export const parameterValues = [
  ...words('0 1 -1 1.5 1e9 99999999999999999999 NaN true false TRUE maybe 1,2 250 251 100000 33334'),
  ...words('% %zz %ff %00 %ED%A0%80 + [] {} {%22or%22:[]} %27%3B-- - , ,, --id _acl e.slug title ~vault.cursor~'),
  ...words('created_at -created_at,slug created_at,created_at ~play.cursor~'),
  ...['', 'x'.repeat(9000)],
];

export const types = [
  ...words(
    'application/json application/json;charset=utf-16 application/json;charset=x text/plain application/graphql',
  ),
  ...words('application/x-www-form-urlencoded application/problem+json APPLICATION/JSON application/json;charset=" /'),
  ...['', 'application/json; charset=utf-8', 'multipart/form-data; boundary=x', 'application/json, text/html'],
];

const each = (name: string, values: readonly string[]): Pair[] => values.map((value) => [name, value]);

/** Headers that mean something, with values that mostly mean nothing. */
export const extras: readonly Pair[] = [
  ...each('If-Match', ['*', '"1.x"', 'W/"1.x"', '"0.x"', '"99999999999999999999.x"', '"', 'x', '"1.x", ', '""']),
  ...each('If-None-Match', ['*', '"1.x"', 'W/"', '", "']),
  ...each('Prefer', ['count=exact', 'count=none', 'count=', 'return=minimal, count="exact"', 'x'.repeat(5000)]),
  ...each('Accept', words('text/html */* application/graphql-response+json multipart/mixed x ;;q= text/html;q=2')),
  ...each('Content-Encoding', ['gzip', 'deflate', 'br', 'identity', 'zstd', 'gzip, gzip']),
  ...each('Host', ['evil.example', 'a b', '', '[::1', 'localhost:99999', 'x/y', '-']),
  ...each('Origin', ['null', 'https://evil.example', '*', '']),
  ...each('X-Request-Id', ['0', 'a\u00e9', 'x'.repeat(200), '~play.master~', '~vault.public~', '<script>']),
  ...each('X-HTTP-Method-Override', ['DELETE']),
  ...each('X-Forwarded-Host', ['evil.example']),
  ...each('X-Forwarded-Proto', ['gopher']),
  ...each('X-Forwarded-For', ['1.2.3.4']),
  ...each('Forwarded', ['for=x']),
  ...each('Idempotency-Key', ['k']),
  ...each('Range', ['bytes=0-1']),
  ...each('Expect', ['100-continue', 'x']),
  ...each('Upgrade', ['h2c']),
  ...each('Connection', ['close']),
  ...each('Cookie', ['a=b']),
  ...each('Access-Control-Request-Method', ['x']),
  ...each('X-Big', ['y'.repeat(20_000)]),
  ...each('__proto__', ['x']),
  ...each('TE', ['trailers']),
];

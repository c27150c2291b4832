// GraphQL over HTTP: every audit of graphql-http, each a test. What is missed is missed on purpose, named with its reason.
import { describe, expect, test } from '@jest/globals';
import { serverAudits, type Audit } from 'graphql-http';
import { suiteApp } from '../../support/scene.ts';
import { buildSite } from '../../support/build.ts';

/** Audits that the service does not pass, and why. */
const refused = 'what was not executed is refused with 400, so that clients and logs see it (docs/contract.md §7)';
const misses: Record<string, string> = { '572B': refused, FDE2: refused, '7B9B': refused };

const app = await suiteApp();
const { master: token } = await buildSite(app.database.prisma);

const audits = serverAudits({
  url: () => `${app.url}/graphql`,
  // The audits know no credentials, nor that a GET has to show that it is no browser's simple request.
  fetchFn: (url: string, options: RequestInit = {}) =>
    fetch(url, {
      ...options,
      headers: {
        ...(options.headers as Record<string, string>),
        authorization: `Bearer ${token}`,
        'apollo-require-preflight': 'true',
      },
    }),
});

describe('graphql-http audits', () => {
  test.each(audits.map((audit) => [`${audit.id} ${audit.name}`, audit] as const))(
    'graphql-http: %s',
    async (_name, audit: Audit) => {
      const result = await audit.fn();
      const reason = result.status === 'ok' ? undefined : result.reason;
      if (misses[audit.id] === undefined) expect([result.status, reason]).toEqual(['ok', undefined]);
      else expect(result.status).not.toBe('ok');
    },
  );
});

test('each listed miss of graphql-http is an existing audit that is not a MUST', () => {
  const missed = audits.filter(({ id }) => misses[id] !== undefined);
  expect(missed.map(({ id }) => id).sort()).toEqual(Object.keys(misses).sort());
  expect(missed.filter(({ name }) => name.startsWith('MUST'))).toEqual([]);
});

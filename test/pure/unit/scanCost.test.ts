// The cost of a list's filter is counted in time that grows with the filter, however deep it nests.
import { expect, test } from '@jest/globals';
import type { FieldTest, Predicate } from '../../../src/entries/condition.ts';
import { countScans } from '../../../src/entries/scanCost.ts';
import type { Channel } from '../../../src/generated/prisma/client.ts';

const channel = { fieldsVersion: 1, derivedVersion: 1 } as Channel;

test('counting the cost of a filter visits each test a few times, also below 20 nested ORs', () => {
  let looks = 0;
  const search: FieldTest = {
    field: { name: 'body', member: null, kind: 'text', options: null, isNormalized: false, isIndexed: false },
    get op() {
      looks += 1;
      return 'contains' as const;
    },
    values: [['x']],
  };
  const nested = Array.from({ length: 20 }).reduce<Predicate>((inner) => ({ or: [inner] }), search);
  expect(countScans({ channel, predicate: nested, sort: [] })).toEqual({ own: 1, all: 1, referred: [] });
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThan(100);
});

// The parameters of lists, whose names no field can have (docs/contract.md §5.12).
import { expect, test } from '@jest/globals';
import { channelPatchInput } from '../../../src/management/channels/input.ts';
import { listParameters } from '../../../src/inputs/lists/listParameters.ts';

test('a parameter that comes later begins with "_", so that no field of a channel that exists has its name', () => {
  const first = ['page', 'per_page', 'cursor', 'sort', 'where', 'q', 'only', 'include', 'as', 'at', 'use_acl'];
  expect(listParameters.filter((name) => !name.startsWith('_'))).toEqual(first);
});

test('a field of a reserved name is refused by that name, with all names that are reserved', () => {
  const fields = [{ name: 'title', type: 'STRING' }, ...['at', 'or', 'id'].map((name) => ({ name, type: 'STRING' }))];
  const issues = channelPatchInput.safeParse({ fields }).error?.issues ?? [];
  const reserved = `lists take ${listParameters.join(', ')}, and, or, not for their parameters and conditions`;
  expect(issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['fields.1.name', `must not be "at": ${reserved}`],
    ['fields.2.name', `must not be "or": ${reserved}`],
    ['fields.3.name', 'must not be "id", the name of a fixed field'],
  ]);
});

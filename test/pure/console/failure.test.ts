// Messages of the console for a save that was refused or failed.
import { expect, test } from '@jest/globals';
import { saySaveFailure } from '../../../console/app/entry/failure.ts';
import { Problem, unreachable } from '../../../console/app/api/problem.ts';

/** A refusal for want of a right. */
const withoutRight = new Problem({
  ...{
    status: 403,
    code: 'forbidden',
    title: 'Forbidden',
    detail: '',
    requestId: null,
    missing: null,
    retryAfter: null,
  },
  errors: [{ field: 'Authorization', code: 'missing_right', message: 'the right update@films is missing' }],
});

/** A refusal that names members. */
function refusal(...fields: readonly string[]): Problem {
  return new Problem({
    ...{
      status: 422,
      code: 'validation_failed',
      title: 'Validation failed',
      detail: '',
      requestId: null,
      missing: null,
      retryAfter: null,
    },
    errors: fields.map((field) => ({ field, code: 'invalid', message: 'is not right' })),
  });
}

test.each<[string, Problem, boolean, string]>([
  ['one member', refusal('code'), true, 'Not saved: 1 field is not right'],
  ['two parts of one member', refusal('marks[0]', 'marks[1]'), true, 'Not saved: 1 field is not right'],
  ['two members', refusal('code', 'file.url'), true, 'Not saved: 2 fields are not right'],
  ['no member', refusal(), true, 'Not saved: Validation failed (422)'],
  ['a right', withoutRight, true, 'Not saved: Forbidden (403)'],
  ['no answer', unreachable(), true, 'Not saved: the service did not answer'],
  ['no answer without a connection', unreachable(), false, 'Not saved: no connection'],
])('the message for a failed save names its cause: %s', (_what, problem, isConnected, said) => {
  expect(saySaveFailure(problem, isConnected)).toBe(said);
});

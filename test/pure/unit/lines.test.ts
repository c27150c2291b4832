// Texts of one line: which are email addresses, by the one rule for fields, customers and users (docs/contract.md §6.3), and their
// normalization form (docs/contract.md §6.4).
import { describe, expect, test } from '@jest/globals';
import { emailAddress, newEmailAddress } from '../../../src/cli/values.ts';
import { valueSchema } from '../../../src/fields/values.ts';
import { plainField } from '../../../src/fields/definition.ts';
import { checkCustomerPatch, checkNewCustomer } from '../../../src/inputs/customer.ts';

const field = valueSchema({ ...plainField, name: 'mail', type: 'email' });

/** Which of the three take a text as a new address. */
function takenBy(email: string): string[] {
  const attempts = {
    field: () => field.parse(email),
    customer: () => checkNewCustomer({ body: { email } }),
    user: () => newEmailAddress(email),
  };
  return Object.entries(attempts).flatMap(([name, attempt]) => {
    try {
      attempt();
      return [name];
    } catch {
      return [];
    }
  });
}

const label = (length: number): string => 'l'.repeat(length);

describe('an email field, a customer and a user', () => {
  test.each([
    ...['ada@example.com', "o'neil+x/y=z@ex.org", '_@a-b.co', '#!$%&*?^`{|}~@x.y'],
    ...[
      'zoë@köln.example',
      '用户@例子.广告',
      'илья@пример.рф',
      'दादा@उदाहरण.भारत',
      'a@b。example',
      'info@\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com',
    ],
    ...['root@localhost', 'a@b', 'a@my_host', 'a@xn--mnchen-3ya.de', 'a@4.example'],
    ...[
      `${'x'.repeat(64)}@y.z`,
      `${'é'.repeat(32)}@y.z`,
      `a@${label(63)}.com`,
      `a@${[63, 63, 63, 61].map(label).join('.')}`,
    ],
  ])('an email field, a customer and a user accept the address %j', (email) => {
    expect(takenBy(email)).toEqual(['field', 'customer', 'user']);
  });

  test.each([
    ...[
      '',
      'a',
      '@',
      'a@',
      '@b',
      'a@b@c',
      'a b@c',
      '.a@b.de',
      'a.@b.de',
      'a..b@c.de',
      '"a b"@c.de',
      'a,b@c.de',
      'a<b>@c.de',
    ],
    ...['a\u200b@b.de', 'a\u200d@b.de', 'a\u00a0b@c.de', 'a\u0007@b.de', 'a\u3164@b.de', 'a\u202e@b.de'],
    ...[
      'a@b..de',
      'a@.de',
      'a@b.de.',
      'a@ex\u00adample.de',
      'a@b\u200d.de',
      'a@b\u00a0c.de',
      'a@xn--a.com',
      'a@\u0301b.de',
    ],
    ...['a@b/c', 'a@b:80', 'a@b?c', 'a@b#c', 'a@b\\c', 'a@ex%41.com', 'a@b\tc', 'a@b\nc', 'a@{b}.de', 'a@(b).de'],
    ...['a@127.0.0.1', 'a@[127.0.0.1]', 'a@[::1]', 'a@300.1.1.1', 'a@12', 'a@0x7f.1', 'a@b.1'],
    ...[
      `${'x'.repeat(65)}@y.z`,
      `${'é'.repeat(33)}@y.z`,
      `a@${label(64)}.com`,
      `a@${[63, 63, 63, 62].map(label).join('.')}`,
    ],
    ...[`a@${'ü'.repeat(60)}.de`, `a@${label(319)}`, `${'a.'.repeat(500_000)}@b.de`],
  ])('an email field, a customer and a user refuse the address %j', (email) => {
    expect(takenBy(email)).toEqual([]);
  });
});

describe('an address that was stored under an earlier rule', () => {
  test.each(['a..b@c', '"a"@[::1]', 'a\u200b@b', `a@${label(318)}`])(
    'a stored address that new rules refuse can be sent back by its customer, and names its user: %j',
    (email) => {
      expect(checkCustomerPatch({ body: { email } }, { email })).toEqual({ email });
      expect(checkCustomerPatch({ input: { email } }, { email })).toEqual({ email });
      expect(() => checkCustomerPatch({ body: { email } }, { email: `x${email}` })).toThrow();
      expect(() => checkCustomerPatch({ body: { email } }, { email: null })).toThrow();
      expect(emailAddress(email)).toBe(email);
      expect(takenBy(email)).toEqual([]);
    },
  );
});

describe('normalization form C', () => {
  const line = valueSchema({ ...plainField, name: 'line', type: 'string', max: 2 });

  test('the length of a text is measured in form C; one with more than 30 marks in a row stays unnormalized, at once', () => {
    expect(line.parse('e\u0301a\u0323\u0302')).toBe('\u00e9\u1ead');
    expect(line.safeParse('e\u0301a\u0323\u0302x').success).toBe(false);
    const kept = valueSchema({ ...plainField, name: 'line', type: 'string' });
    const marks = (count: number): string => `e${'\u0301\u0316'.repeat(count / 2)}`;
    expect(kept.parse(marks(30))).toBe(marks(30).normalize('NFC'));
    expect(kept.parse(marks(32))).toBe(marks(32));
    // Sorting so many marks would take hours.
    expect(kept.safeParse(marks(2_000_000)).success).toBe(false);
  });

  test('an email address is accepted in any normalization form, also from the customer who has it', () => {
    const email = 'zo\u00eb@k\u00f6ln.example';
    expect(checkNewCustomer({ body: { email: email.normalize('NFD') } }).email).toBe(email);
    expect(newEmailAddress(email.normalize('NFD'))).toBe(email);
    const old = 'e\u0301..x@y';
    expect(checkCustomerPatch({ body: { email: old } }, { email: old })).toEqual({ email: old.normalize('NFC') });
  });
});

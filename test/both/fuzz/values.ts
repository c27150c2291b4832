// Values that break things: wrong kinds, extremes, text that can't be stored, names that mean something to a machine.
import { number } from './request.ts';
import { words } from '../../support/words.ts';
import type { Random } from '../../support/random.ts';

const texts = [
  ...['', ' ', '\0', 'a\0b', '\ud800', 'x\udc00y', '\ufeff', '\u202e', '😀'.repeat(50), 'e\u0301', '\n\r\t', '\\', '"'],
  ...["'; DROP TABLE entries; --", "' OR '1'='1", 'title;', 'x'.repeat(256), 'ß'.repeat(201)],
  ...words('é ﬁ İ $1 ${1} % %s _ {{7*7}} <script> ../../etc/passwd ..\\.. null undefined NaN true 0 -0 1e3 0x10 [] {}'),
  ...words('* users id: role: id:* role:editor count bulk draft published scheduled DRAFT news safe ABCDEFGHIJ'),
  ...words('2026-02-30T00:00:00Z 2026-01-31 9999-12-31T23:59:59.999Z 0000-01-01T00:00:00Z +275760-09-13T00:00:00Z'),
  ...words('2999-01-01T00:00:00Z 2000-01-01T00:00:00+14:00 00000000-0000-0000-0000-000000000000'),
  ...words('created_at -created_at _acl _owner e.slug data->>title'),
];

const longTexts = ['a'.repeat(70_000), '\u{1f4a9}'.repeat(3000), '-'.repeat(100_000), 'a-'.repeat(30_000)];

const numbers = [
  ...[0, -1, 1, 2, 250, 251, 1.5, -0.5, 65_536, 2 ** 31, -(2 ** 31), 2 ** 31 - 1, 2 ** 53, 31_536_001, 1e21],
  ...['1e400', '-1e400', '1e-400', '-0', '9007199254740993', '123456789012345678901234567890', '1E5', '0.1e1'].map(
    number,
  ),
];

/** Keys that prototypes, libraries or the service itself know. */
export const keys = [
  ...words('__proto__ constructor prototype toString hasOwnProperty valueOf toJSON length then id url slug channel'),
  ...words(
    'short_id created_at updated_at title_field_value title version _acl _owner _status _publish_at _ _x fields',
  ),
  ...words('acl owner site $where $ne a.b a[b] * users id:x read create 😀 0 -1 use_acl'),
  ...['', ' ', '\0', '\ud800', 'x'.repeat(256)],
];

/** Names of what exists: of the callers' own sites and of others. */
export const names = ['news', 'club', 'desk', 'safe', 'spare', ...['vault', 'play'].flatMap(namesOf)];

function namesOf(site: string): string[] {
  const entries = ['news-open', 'news-draft', 'club-ann', 'club-bob', 'desk-ann', 'desk-blind', 'safe-secret'];
  return [...entries.map((key) => `~${site}.${key}.id~`), `~${site}.site~`, `~${site}.cursor~`, `~${site}.id.ann~`];
}

/** A value of some kind, seldom a welcome one. */
export function oddValue(random: Random): unknown {
  switch (random.upTo(9)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
    case 3:
      return random.pick(numbers);
    case 4:
      return random.pick([[], {}, [[]], [null], [{}], { [random.pick(keys)]: random.pick(texts) }]);
    case 5:
      return random.pick(names);
    case 6:
      return random.chance(0.2) ? random.pick(longTexts) : random.pick(keys);
    case 7:
      return nested(random.pick([2, 50, 99, 100, 101, 1000]), random.chance(0.5));
    default:
      return random.pick(texts);
  }
}

/** Text, seldom a welcome one. */
export function oddText(random: Random): string {
  return random.pick(random.pick([texts, texts, texts, keys, names]));
}

/** So many levels of arrays or objects. */
export function nested(depth: number, inArrays: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = inArrays ? [value] : { a: value };
  return value;
}

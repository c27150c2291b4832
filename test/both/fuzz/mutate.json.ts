// Mutations of JSON values, at any place in them.
import type { Random } from '../../support/random.ts';
import { keys, nested, oddValue } from './values.ts';

/** How far down values are changed. */
const maxDepth = 20;

/** A place in a value: the object or array that holds it, and under what. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** A copy of a value with something in it changed. */
export function mutateJson(value: unknown, random: Random): unknown {
  // In a holder of its own, so that the value as a whole is a place, too.
  const root: Record<string, unknown> = { value: copied(value) };
  change(random.pick(placesIn(root)), random);
  return root['value'];
}

/** A copy down to where places are looked for. */
function copied(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => copied(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copied(member, depth + 1)]));
}

function placesIn(holder: Record<string, unknown>, depth = 0): Place[] {
  return Object.keys(holder).flatMap((key) => {
    const value = holder[key];
    const isHolder = typeof value === 'object' && value !== null && depth < maxDepth;
    return [{ holder, key }, ...(isHolder ? placesIn(value as Record<string, unknown>, depth + 1) : [])];
  });
}

function change({ holder, key }: Place, random: Random): void {
  const value = holder[key];
  switch (random.upTo(7)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
      return;
    case 1:
      set(holder, key, otherKind(value));
      return;
    case 2:
      set(holder, key, random.chance(0.5) ? [value] : { [random.pick(keys)]: value });
      return;
    case 3:
      set(holder, key, grown(value, random));
      return;
    case 4:
      add(typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : holder, random);
      return;
    case 5:
      set(holder, key, nested(random.pick([3, 98, 99, 100, 101, 2000]), random.chance(0.5)));
      return;
    default:
      set(holder, key, oddValue(random));
  }
}

/** Whatever the key is: `__proto__` becomes a member like any other. */
function set(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function add(holder: Record<string, unknown>, random: Random): void {
  if (Array.isArray(holder)) holder.push(oddValue(random));
  else set(holder, random.pick(keys), oddValue(random));
}

/** The same said by another kind of value. */
function otherKind(value: unknown): unknown {
  if (typeof value === 'string') return Number.isNaN(Number(value)) ? { length: value.length } : Number(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return Object.fromEntries(value.map((item, index) => [index, item as unknown]));
  return value === null || value === undefined ? 'null' : Object.entries(value);
}

function grown(value: unknown, random: Random): unknown {
  const times = random.pick([2, 10, 101, 300]);
  if (typeof value === 'string') return value.repeat(times).slice(0, 20_000);
  if (typeof value === 'number') return value * 10 ** times;
  if (Array.isArray(value))
    return Array.from({ length: times }, () => value as unknown[])
      .flat()
      .slice(0, 500);
  if (typeof value !== 'object' || value === null) return Array.from({ length: times }, () => value);
  const more = Array.from({ length: times }, (_, index) => [`more-${index}`, Object.values(value)[0] as unknown]);
  return { ...value, ...(Object.fromEntries(more) as object) };
}

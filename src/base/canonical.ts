// Writes one text for equal values, as a key to find them by. Values that their members do not distinguish are refused.

/**
 * Writes a value of plain data as a text: values have the same text only if they are deeply equal.
 * @throws TypeError for functions, symbols, and objects of classes, which may differ in more than their members
 */
export function writeCanonical(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${Array.from(value, writeCanonical).join(',')}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof Set) return `Set(${[...value].map(writeCanonical).sort().join(',')})`;
  if (typeof value === 'object' && isPlain(value)) {
    const members = Object.entries(value as Record<string, unknown>)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeCanonical(member)}`).join(',')}}`;
  }
  throw new TypeError('Only plain data has a canonical text.');
}

/** Whether an object has no class, in whatever realm it was made. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  const isBare = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isBare && Object.getOwnPropertySymbols(value).length === 0;
}

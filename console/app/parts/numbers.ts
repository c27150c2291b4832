// Numbers as people of this browser's language read them.

const format = new Intl.NumberFormat();

/** A count with its separators; the text itself if it is no number. */
export function showCount(count: number | string): string {
  const number = Number(count);
  return Number.isFinite(number) ? format.format(number) : String(count);
}

// Figures of several rounds, and tables of them.

/** The value at a part of the way through some numbers in their order, such as 0.99; NaN if there are none. */
export function quantile(numbers, part) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted.length === 0 ? NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** The number in the middle, or between the two in the middle. */
export function median(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/** A number with some decimals, in groups of thousands; a dash for none. */
export function show(number, decimals = 0) {
  if (number === undefined || number === null || Number.isNaN(number)) return '–';
  return number.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** A Markdown table: the first column is to the left, the others to the right. */
export function markdownTable(head, rows) {
  const widths = head.map((name, column) =>
    Math.max(...[name, ...rows.map((row) => row[column])].map((s) => s.length), 3),
  );
  const line = (cells) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join(' | ')} |`;
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** Reads an option that is a number above zero. @throws Error if it is not */
export function positive(options, name) {
  const number = Number(options[name]);
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0.`);
  return number;
}

// Finds out how a file of CSV is written: what separates its cells, and what ends its lines. RFC 4180 has commas and CRLF; what
// spreadsheets write depends on their language and their age. Pure.

/** How a file of CSV is written. Texts are in Latin-1, a character for each byte. */
export interface Dialect {
  readonly separator: string;
  readonly newline: '\n' | '\r';
  /** Whether the first line names the separator, as spreadsheets have it: `sep=;`. */
  readonly namesSeparator: boolean;
}

/** How much of a file is looked at. */
export const dialectBytes = 65_536;

const candidates = [',', ';', '\t', '|'] as const;

/** The separator is one of several. */
export class AmbiguousSeparator extends Error {
  readonly separators: readonly string[];

  constructor(separators: readonly string[]) {
    super('several separators fit');
    this.separators = separators;
  }
}

/**
 * How a file is written, by its beginning.
 * @param head in Latin-1
 * @param isWhole whether that is all of the file
 * @param given the separator; null: the one that divides the header and most records into as many cells
 * @throws {AmbiguousSeparator} where that is true of several, and none divides the header into more than the others
 */
export function findDialect(head: string, isWhole: boolean, given: string | null): Dialect {
  const newline = /^(?:"[^"]*"|[^"\r\n])*(\r\n|\r|\n)/.exec(head)?.[1] === '\r' ? '\r' : '\n';
  const named = /^"?sep=([^"\r\n])"?(?=[\r\n]|$)/i.exec(head)?.[1];
  const written = { newline, namesSeparator: named !== undefined } as const;
  const known = given === null ? named : Buffer.from(given).toString('latin1');
  if (known !== undefined) return { separator: known, ...written };
  const [header, ...records] = countSeparators(head, newline, isWhole);
  const fitting = candidates.filter((_, at) => {
    const count = header?.[at] ?? 0;
    return count > 0 && 2 * records.filter((counts) => counts[at] === count).length >= records.length;
  });
  const countOf = (separator: (typeof candidates)[number]): number => header?.[candidates.indexOf(separator)] ?? 0;
  const most = Math.max(...fitting.map(countOf));
  const best = fitting.filter((separator) => countOf(separator) === most);
  if (best.length > 1) throw new AmbiguousSeparator(best);
  return { separator: best[0] ?? ',', ...written };
}

/** How often each candidate stands outside of quotes, in each record that is not empty. */
function countSeparators(head: string, newline: string, isWhole: boolean): number[][] {
  const records: number[][] = [];
  let counts = candidates.map(() => 0);
  let [isQuoted, isCellStart, isEmpty] = [false, true, true];
  const end = (): void => {
    if (!isEmpty) records.push(counts);
    counts = candidates.map(() => 0);
    isEmpty = true;
  };
  for (const character of head) {
    if (isQuoted) {
      // A quote that is written twice ends the quotes and begins them again.
      isQuoted = character !== '"';
      isCellStart = !isQuoted;
      continue;
    }
    const at = (candidates as readonly string[]).indexOf(character);
    if (character === newline) end();
    else if (character !== '\r') isEmpty = false;
    if (at >= 0) counts[at] = (counts[at] ?? 0) + 1;
    isQuoted = character === '"' && isCellStart;
    isCellStart = at >= 0 || character === newline;
  }
  if (isWhole) end();
  return records;
}

// Rows to import: films that nobody has seen.
export interface Film extends Record<string, unknown> {
  readonly title: string;
  readonly year: number;
  readonly cast: readonly string[];
}

const words = [
  'Ashes',
  'Bread',
  'Café',
  'Dust',
  'Ember',
  'Fog',
  'Größe',
  'Harbour',
  'Ink',
  'Jade "J" Kelly, again',
  '雪',
];

/** So many films; a slug and a code tell each from the others. */
export function films(count: number, from = 0): Film[] {
  return Array.from({ length: count }, (_, index) => {
    const at = from + index;
    const word = (step: number): string => words[(at * step + step) % words.length] ?? '';
    return {
      slug: `film-${at}`,
      code: `C${at}`,
      title: `${word(1)} and ${word(3)} ${at}`,
      year: 1900 + (at % 120),
      rating: at / 7,
      seen: at % 2 === 0,
      released: `19${String(10 + (at % 80))}-0${(at % 9) + 1}-1${at % 10}`,
      cast: at % 5 === 0 ? [] : [word(5), word(7)],
      extract: at % 3 === 0 ? null : `${word(2)}\n“${word(4)}”, said ${word(6)}.\r\n${'x'.repeat(at % 50)}`,
    };
  });
}

/** Rows as NDJSON. */
export function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

// Counts what an import leaves out because there is nothing in it, and says so.
import { formatCount } from '../../terminal/progress.ts';
import type { ReadingWatch } from '../files/rows.ts';

export class LeftOut {
  #records = 0;
  #columns = 0;

  /** What readers of rows tell. @param bytes takes the number of bytes that were read */
  watch(bytes: (count: number) => void): ReadingWatch {
    return {
      bytes,
      emptyRecord: () => (this.#records += 1),
      namelessColumns: (count) => (this.#columns += count),
    };
  }

  /** A line about it; empty where nothing was left out. */
  toString(): string {
    const counted = (count: number, one: string, several: string): string[] =>
      count === 0 ? [] : [`${formatCount(count)} ${count === 1 ? one : several}`];
    const parts = [
      ...counted(this.#columns, 'last column without a name', 'last columns without names'),
      ...counted(this.#records, 'row of empty cells', 'rows of empty cells'),
    ];
    return parts.length === 0 ? '' : `Left out: ${parts.join(', ')}.`;
  }
}

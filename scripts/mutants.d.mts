/** A planted fault: an edit of a file, and the tests of which one has to fail. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  readonly tests: readonly string[];
  readonly ci?: boolean;
}
export const mutants: readonly Mutant[];

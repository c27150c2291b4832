/**
 * A planted fault: a small edit that breaks a promise, and the tests of which one has to fail. It has exactly one place, which is
 * named by the function that it is in, wherever the file of that function lies.
 */
export type Mutant = Code | TemplateText | DatabaseText;

interface Fault {
  readonly name: string;
  /** What stands there instead, with the names that `find` or `text` has; may be empty. */
  readonly put: string;
  /** How the paths of the tests begin. */
  readonly tests: readonly string[];
  /** Whether each build plants it. */
  readonly ci?: boolean;
}

interface Inside extends Fault {
  /**
   * `functionName`, `Class.method`, or the name of a constant, type or class of a file's own level; after the name of the file where
   * several files have it (`rights.ts:check`).
   */
  readonly in: string;
}

/** A fault in code. */
interface Code extends Inside {
  /**
   * Code as it says what stands there: an expression, statements, members, arguments … Formatting and comments do not count, nor what
   * the variables of the function are called.
   */
  readonly find: string;
}

/** A fault in the text of a template, such as of SQL: what stands in `${}` is compared as code. */
interface TemplateText extends Inside {
  readonly text: string;
}

/** A fault in a function of the database, as its last migration defines it. */
interface DatabaseText extends Fault {
  /** The name of the function. */
  readonly sql: string;
  readonly text: string;
}

export const mutants: readonly Mutant[];

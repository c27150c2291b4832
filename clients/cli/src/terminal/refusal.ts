// The errors that a command ends with: their messages are printed.

/** A command can't do what it was asked to. The message says what is wrong, and what to do. */
export class Refusal extends Error {}

/** A command was asked for wrongly: an option is missing, or has a value that it can't have. The exit code is then 2. */
export class UsageError extends Refusal {}

/** The reason of a failure, for the message of a refusal. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

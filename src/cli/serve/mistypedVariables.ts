// Detects environment variables that nothing reads, with names similar to variables in use.
import { variables } from '../../config/variables.ts';
import { nearestName } from '../../base/nearestName.ts';

/** Variables in use besides those of the service: by the clients of the HTTP API, and between its own processes. */
const otherNames = [
  'ENTRYWAY_URL',
  'ENTRYWAY_TOKEN',
  'ENTRYWAY_TOKEN_FILE',
  'ENTRYWAY_SESSION',
  'ENTRYWAY_SESSION_FILE',
  'ENTRYWAY_WORKER',
  'NODE_OPTIONS',
];

/** Variables of PostgreSQL's clients and of npm are not meant for the service, though PGPORT is similar to PORT. */
const foreign = /^(?:PG|npm_)/;

export interface MistypedVariable {
  readonly variable: string;
  /** The name that was probably meant. */
  readonly near: string;
}

/**
 * Finds the names in an environment that are probably mistyped. Their values are never reported: they may be secrets.
 */
export function mistypedVariables(environment: Readonly<Record<string, string | undefined>>): MistypedVariable[] {
  const usedNames = Object.keys(variables.shape);
  const read = new Set([...usedNames, ...otherNames]);
  return Object.keys(environment)
    .filter((name) => !read.has(name) && !foreign.test(name))
    .flatMap((variable) => {
      const near = usedNames.find((name) => inLetters(name) === inLetters(variable)) ?? nearestName(variable, read);
      return near === null ? [] : [{ variable, near }];
    });
}

/** Removes the separators of a name's words, which are the likeliest mistakes. */
function inLetters(name: string): string {
  return name.replace(/[_-]/g, '').toUpperCase();
}

// Environment variables that nothing reads, and whose names are near to those that something does read.
import { variables } from '../../config/variables.ts';
import { nearestName } from '../../base/nearestName.ts';

/** Those that are read besides the variables of the service: by the clients of the HTTP API, and among its own processes. */
const otherNames = [
  'ENTRYWAY_URL',
  'ENTRYWAY_TOKEN',
  'ENTRYWAY_TOKEN_FILE',
  'ENTRYWAY_SESSION',
  'ENTRYWAY_SESSION_FILE',
  'ENTRYWAY_WORKER',
  'NODE_OPTIONS',
];

/** Variables of PostgreSQL's clients and of npm are not meant for the service, though PGPORT is near to PORT. */
const foreign = /^(?:PG|npm_)/;

export interface MistypedVariable {
  readonly variable: string;
  /** The name that was probably meant. */
  readonly near: string;
}

/** Finds the names in an environment that are probably mistyped. Their values are never told: they may be secrets. */
export function mistypedVariables(environment: Readonly<Record<string, string | undefined>>): MistypedVariable[] {
  const known = Object.keys(variables.shape);
  const read = new Set([...known, ...otherNames]);
  return Object.keys(environment)
    .filter((name) => !read.has(name) && !foreign.test(name))
    .flatMap((variable) => {
      const near = known.find((name) => inLetters(name) === inLetters(variable)) ?? nearestName(variable, read);
      return near === null ? [] : [{ variable, near }];
    });
}

/** A name without what separates its words, which is forgotten most. */
function inLetters(name: string): string {
  return name.replace(/[_-]/g, '').toUpperCase();
}

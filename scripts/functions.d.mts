/** See functions.mjs. */
export interface Source {
  readonly name: string;
  readonly sql: string;
}

export interface Difference {
  readonly signature: string;
  readonly name: string;
  readonly kind: 'FUNCTION' | 'TYPE';
  readonly before: string | null;
  readonly after: string | null;
}

export interface ComparingSession {
  readonly exec: (sql: string) => Promise<void>;
  readonly query: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
}

export function readSources(directory: string): Source[];
export function compareFunctions(session: ComparingSession, sources: readonly Source[]): Promise<Difference[]>;
export function migrationStatements(differences: readonly Difference[], sources: readonly Source[]): string[];

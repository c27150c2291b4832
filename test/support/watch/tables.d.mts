import type { Exception } from './judge.mjs';
export function siteTables(schema?: string): string[];
export function exceptions(tables: readonly string[]): Exception[];

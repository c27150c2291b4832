import type { Rule } from 'eslint';

export const floors: readonly (readonly string[])[];
export function roomOf(path: string): string | undefined;
export function mayImport(from: string, to: string): boolean;
export const clients: Readonly<
  Record<string, { readonly uses: readonly string[]; readonly sources: readonly string[] }>
>;
export function clientOf(path: string): string | undefined;
export function mayCross(from: string, to: string): boolean;
export const oneWay: Rule.RuleModule;

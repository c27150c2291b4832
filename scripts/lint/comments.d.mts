import type { Rule } from 'eslint';

export function findClause(text: string): { readonly clause: string; readonly advice: string } | undefined;
export const plainComments: Rule.RuleModule;

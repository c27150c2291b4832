export function tokensIn(text: string): string[];
export function isStray(line: string): boolean;
export function giveawaysIn(text: string, isKnown?: (found: string) => boolean): { kind: string; found: string }[];

export function tokensIn(text: string): string[];
export function giveawaysIn(text: string, isKnown?: (found: string) => boolean): { kind: string; found: string }[];

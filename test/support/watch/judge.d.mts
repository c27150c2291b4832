export interface Exception {
  readonly reason: string;
  readonly matches: (text: string) => boolean;
}
export const testMark: string;
export class Judge {
  constructor(siteTables: readonly string[], exceptions?: readonly Exception[]);
  faultsOf(text: string): string[];
}

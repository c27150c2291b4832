/** See dockerfile.mjs. */
export interface Step {
  readonly keyword: string;
  readonly text: string;
  readonly words: readonly string[];
  readonly from: string | null;
}
export interface Stage {
  readonly name: string;
  readonly image: string;
  readonly steps: readonly Step[];
}
export function readDockerfile(path: string): Stage[];
export function readPairs(text: string): Record<string, string>;

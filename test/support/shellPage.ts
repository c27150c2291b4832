// The shell blocks of a page, and what the page says that they print.

/** A block of commands. */
export interface ShellBlock {
  /** Where it begins. */
  readonly line: number;
  readonly commands: string;
  /** What it prints, with `…` for anything; null where the page shows nothing, because it prints nothing. */
  readonly printed: string | null;
}

/** The shell blocks of a page, in order. What a block prints is the text block behind it. */
export function shellBlocks(page: string): ShellBlock[] {
  const found = page.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms);
  return [...found].map(({ 1: commands = '', 2: printed = null, index }) => ({
    line: page.slice(0, index).split('\n').length,
    commands,
    printed,
  }));
}

/** A pattern for what a block prints: `…` stands for anything, and space counts only between quotes. */
export function printedPattern(text: string): RegExp {
  const parts = withoutSpace(text)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*?')}$`, 's');
}

/** A text without the space that stands outside of quotes. */
export function withoutSpace(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_all, quoted: string | undefined) => quoted ?? '');
}

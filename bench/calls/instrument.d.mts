/** A module whose named functions call `globalThis.noteEntry`, where there is one, with what they are: { file, name }. */
export function instrument(file: string, text: string): string;

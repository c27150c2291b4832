// Turns texts of any script into ASCII, for names that are made of them: slugs, and fields of imported columns. Pure.
import anyAscii from '../generated/anyAscii/anyAscii.ts';

/**
 * Turns a text into ASCII, each character by itself (docs/contract.md §5.9): é becomes e, ß ss, 日 Ri. Marks without a letter, and characters
 * without a transcription, are left out.
 */
export function toAscii(text: string): string {
  // Characters that are written in parts, such as a letter and its mark, have transcriptions as one. Composing them takes time quadratic in the
  // number of marks that follow a letter.
  return anyAscii(text.replace(/(\p{M}{8})\p{M}+/gu, '$1').normalize('NFC'));
}

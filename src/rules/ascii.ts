// Transliterates texts of any script to ASCII, for slugs and for fields of imported columns. Pure.
import anyAscii from '../generated/anyAscii/anyAscii.ts';

/**
 * Transliterates a text to ASCII, character by character (docs/contract.md §5.9): é becomes e, ß ss, 日 Ri. Marks
 * without a letter, and characters without a transcription, are left out.
 */
export function toAscii(text: string): string {
  // Composes letters and marks first, because transcriptions exist for composed characters. Composing takes time
  // quadratic in the number of marks after a letter, hence the limit of 8.
  return anyAscii(text.replace(/(\p{M}{8})\p{M}+/gu, '$1').normalize('NFC'));
}

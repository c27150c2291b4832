// Brings the bytes of files into UTF-8, whatever their encoding is. UTF-16 is told by its byte order mark, or by the zeros that a
// separator, a bracket or the end of a line has in it; other encodings have to be named.
import { Refusal } from '../../terminal/refusal.ts';
import type { InputFile } from './inputFiles.ts';
import { peek } from './peek.ts';

/** How many bytes are looked at. */
const headBytes = 4_096;

/** Why a row can't be read whose bytes are not UTF-8. */
export const notUtf8 = 'is not UTF-8: if the file comes from Windows or is in Latin-1, give --encoding windows-1252';

const byteOrderMark = Buffer.from('\ufeff');

/**
 * The bytes of a file in UTF-8, without a byte order mark. Those of a file in UTF-8 are passed on as they are: whoever reads rows
 * finds the one that holds others.
 * @throws {Refusal} where they are not of the encoding
 */
export async function* decode({ path, encoding }: InputFile, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peek(chunks, headBytes);
  const found = encoding ?? detectEncoding(head);
  if (found === 'utf-32') throw new Refusal(`${path} is in UTF-32, which is not read: save it in UTF-8.`);
  if (found === 'utf-8') {
    let isFirst = true;
    for await (const chunk of all) {
      yield isFirst && chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk;
      isFirst = false;
    }
    return;
  }
  const decoder = new TextDecoder(found, { fatal: true });
  const recode = (text: string): Buffer => Buffer.from(found === 'windows-1252' ? withoutControls(text) : text);
  try {
    for await (const chunk of all) yield recode(decoder.decode(chunk, { stream: true }));
    yield recode(decoder.decode());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new Refusal(`${path} is not in the encoding ${found}: name its own with --encoding, or save it in UTF-8.`);
  }
}

/** The characters of Windows-1252 from 0x80 on. Node.js 20 decodes these bytes as Latin-1, in which they are control characters. */
const windowsCharacters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function withoutControls(text: string): string {
  return text.replace(/[\x80-\x9f]/g, (control) => windowsCharacters[control.charCodeAt(0) - 0x80] ?? control);
}

/** The encoding that the beginning of a file looks like. */
function detectEncoding(head: Buffer): string {
  const mark = head.subarray(0, 4).toString('hex');
  if (mark === 'fffe0000' || mark === '0000feff') return 'utf-32';
  if (mark.startsWith('fffe')) return 'utf-16le';
  if (mark.startsWith('feff')) return 'utf-16be';
  const [even, odd] = [0, 1].map((from) => head.filter((byte, at) => byte === 0 && at % 2 === from).length);
  // In UTF-16, each Latin letter and each separator has a zero; in UTF-8 nothing has one that could be stored.
  if (10 * ((even ?? 0) + (odd ?? 0)) < head.length || head.length === 0) return 'utf-8';
  if ((odd ?? 0) > 4 * (even ?? 0)) return 'utf-16le';
  return (even ?? 0) > 4 * (odd ?? 0) ? 'utf-16be' : 'utf-8';
}

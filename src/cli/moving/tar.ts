// Writes and reads archives in the format of POSIX tar (ustar), of plain files and directories: a backup can be listed
// and unpacked by the usual tools.
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';

const blockBytes = 512;
const maxNameBytes = 100;

/** A file or a directory of an archive. */
export interface TarEntry {
  readonly name: string;
  /** In bytes; null for a directory. */
  readonly size: number | null;
}

/** The header of a file or a directory. Owners and times are left out. @throws Error if the format cannot hold it */
export function tarHeader({ name, size }: TarEntry): Buffer {
  const path = size === null ? `${name}/` : name;
  if (Buffer.byteLength(path) > maxNameBytes) throw new Error(`${path} is too long a name for an archive`);
  const header = Buffer.alloc(blockBytes);
  header.write(path, 0);
  header.write(size === null ? '0000700\0' : '0000600\0', 100);
  header.write('0000000\0'.repeat(2), 108);
  header.write(`${(size ?? 0).toString(8).padStart(11, '0')}\0`, 124);
  header.write(`${'0'.repeat(11)}\0`, 136);
  header.write(' '.repeat(8), 148);
  header.write(size === null ? '5' : '0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** The padding of a file of some size, so that the next header begins a block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);
}

/** The end of an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * blockBytes);
}

function checksum(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

/**
 * The entries of an archive, in their order, each with the content of a file: it has to be read before the next entry.
 * @throws {Refusal} at the first header, padding or end that `tarHeader`, `tarPadding` and `tarEnd` would not write
 */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<TarEntry & { readonly content: AsyncGenerator<Buffer, void> }, void> {
  const source = new ByteSource(chunks);
  for (;;) {
    const header = await source.take(blockBytes);
    if (isZero(header)) break;
    const { name, size } = parseTarHeader(header);
    yield { name, size, content: source.stream(size ?? 0) };
    if (!isZero(await source.take(tarPadding(size ?? 0).length))) throw new Refusal(notWritten);
  }
  if (!isZero(await source.take(tarEnd().length - blockBytes))) throw new Refusal(notWritten);
  // Until its end is read, the checksum of gzip is not checked.
  if (!(await source.isAtEnd())) throw new Refusal('something follows its end');
}

const notWritten = 'it is not an archive that "entryway backup" has written';

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

/**
 * @throws {Refusal} if it is not a header, or its size is not 11 octal digits: no other form, such as a sign, is
 *   written
 */
function parseTarHeader(header: Buffer): TarEntry {
  const text = (from: number, length: number): string =>
    header
      .toString('latin1', from, from + length)
      .replace(/\0.*$/s, '')
      .trim();
  const type = text(156, 1);
  const isWhole = parseInt(text(148, 8), 8) === checksum(header) && ['0', '5'].includes(type);
  const digits = header.toString('latin1', 124, 136);
  const size = /^[0-7]{11}\0$/.test(digits) ? parseInt(digits, 8) : NaN;
  if (!isWhole || Number.isNaN(size) || (type === '5' && size !== 0)) throw new Refusal(notWritten);
  return { name: text(0, maxNameBytes).replace(/\/$/, ''), size: type === '5' ? null : size };
}

class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(count)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The next bytes, so many. @throws {Refusal} if there are fewer */
  async *stream(count: number): AsyncGenerator<Buffer, void> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) throw new Refusal('it was cut off');
        this.#rest = next.value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      if (part.length > 0) yield part;
    }
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return true;
      this.#rest = next.value;
    }
    return false;
  }
}

// Compresses responses for clients that ask for it (RFC 9110 §8.4.1, §12.5.3; docs/contract.md §5.17).
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import accepts from 'accepts';

/** Shorter responses fit into one packet anyway. */
const minBytes = 1_024;

export type Encoding = 'br' | 'gzip';

/** The encoding of a response of so many bytes; null to send it uncompressed. */
export function chooseEncoding(request: IncomingMessage, bytes: number): Encoding | null {
  const { 'accept-encoding': asked, 'cache-control': control } = request.headers;
  if (bytes < minBytes || asked === undefined || asked === '') return null;
  if (control !== undefined && /\bno-transform\b/i.test(control)) return null;
  const chosen = accepts(request).encodings(['br', 'gzip', 'identity']);
  return chosen === 'br' || chosen === 'gzip' ? chosen : null;
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Compresses bytes in the thread pool. */
export function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(bytes);
  // The default quality, 11, takes fifty times as long as 4, which still beats gzip.
  return compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/**
 * The entity tag of a compressed response: another representation has another strong tag (RFC 9110 §8.8.3.3).
 * @param tag of the uncompressed response
 */
export function tagCompressed(tag: string, encoding: Encoding): string {
  return tag.replace(/"$/, `-${encoding}"`);
}

/** The entity tag of the uncompressed response. @param tag of either form; a weak one loses its mark */
export function tagUncompressed(tag: string): string {
  return tag.replace(/^W\//, '').replace(/-(?:br|gzip)"$/, '"');
}

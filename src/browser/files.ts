// The files of the pages that browsers open, as `npm run build` made them of console/.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { compress, type Encoding } from '../http/compress.ts';

/** Where the build writes them: the same directory for src/ and for dist/. */
const directory = new URL('../../dist/pages/', import.meta.url);

/** The media types of the files, by the ends of their names. Files of another type are not served. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** A name that cannot lead out of the directory. */
const nameShape = /^\w[\w.-]*$/;

/**
 * Reads a file that pages load. Its name contains a digest of its content.
 * @returns null if there is no such file
 */
export async function readAsset(name: string): Promise<PageFile | null> {
  const type = types[extname(name)];
  if (type === undefined || !nameShape.test(name)) return null;
  const bytes = await readFile(new URL(`assets/${name}`, directory)).catch(nullIfMissing);
  return bytes && { type, bytes };
}

/** What was compressed, by name and encoding: the files do not change while the service runs. */
const compressed = new Map<string, Promise<Buffer>>();

/**
 * Gives a file compressed. Each is compressed once: whoever asks for the largest again and again, which needs no token, would
 * otherwise keep the process' threads busy.
 */
export async function compressAsset(name: string, bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const key = `${encoding} ${name}`;
  const kept = compressed.get(key) ?? compress(bytes, encoding);
  compressed.set(key, kept);
  return kept.catch((error: unknown) => {
    compressed.delete(key);
    throw error;
  });
}

/** Reads the HTML of a page. @returns null if the pages are not built */
export async function readPage(name: string): Promise<string | null> {
  return readFile(new URL(`${name}/index.html`, directory), 'utf8').catch(nullIfMissing);
}

/** @throws the error, unless it says that a file is missing */
function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

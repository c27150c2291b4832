// The files of the pages for browsers, as `npm run build` made them of console/.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { SingleFlight } from '../base/singleFlight.ts';
import { compress, type Encoding } from '../http/compress.ts';

/** The directory of the build: the same for src/ and for dist/. */
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
  /** Its path below the directory of the pages. */
  readonly place: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** A name that cannot lead out of the directory, and that a file system takes. */
const nameShape = /^\w[\w.-]{0,127}$/;

/**
 * Reads a file that pages load. Its name contains a digest of its content.
 * @returns null if there is no such file
 */
export async function readAsset(name: string): Promise<PageFile | null> {
  const type = types[extname(name)];
  if (type === undefined || !nameShape.test(name)) return null;
  return read(`assets/${name}`, type);
}

/** Reads the HTML of a page. @returns null if the pages are not built */
export async function readPage(name: string): Promise<PageFile | null> {
  return read(`${name}/index.html`, 'text/html; charset=utf-8');
}

/**
 * The read files, by path, and their compressed forms, by encoding and path. The files do not change while the service
 * runs, and are about 8 MB in all. Answers share the bytes, because any client may request the largest file a thousand
 * times at once, without a token and without reading an answer: each answer would otherwise hold a copy, and keep the
 * process' threads busy.
 */
const kept = new SingleFlight<PageFile>({ kept: new Map() });
const compressed = new SingleFlight<Buffer>({ kept: new Map() });

function read(place: string, type: string): Promise<PageFile | null> {
  const readNow = async (): Promise<PageFile> => ({ place, type, bytes: await readFile(new URL(place, directory)) });
  return kept.run(place, readNow).catch(nullIfMissing);
}

/** Compresses a file. */
export async function compressFile({ place, bytes }: PageFile, encoding: Encoding): Promise<Buffer> {
  return compressed.run(`${encoding} ${place}`, () => compress(bytes, encoding));
}

/** @throws the error, unless it says that a file is missing */
function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

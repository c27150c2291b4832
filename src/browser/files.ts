// The files of the pages that browsers open, as `npm run build` made them of console/.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

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

/** The pages and their files. The names are listed once, so that a request cannot name any other file. */
export class PageFiles {
  readonly #assets = new Set(listNames('assets/'));

  /**
   * Reads a file that pages load. Its name contains a digest of its content.
   * @returns null if there is no such file
   */
  async readAsset(name: string): Promise<PageFile | null> {
    const type = types[extname(name)];
    if (type === undefined || !this.#assets.has(name)) return null;
    return { type, bytes: await readFile(new URL(`assets/${name}`, directory)) };
  }

  /** Reads the HTML of a page. @returns null if the pages are not built */
  async readPage(name: string): Promise<string | null> {
    return readFile(new URL(`${name}/index.html`, directory), 'utf8').catch(nullIfMissing);
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(new URL(folder, directory));
  } catch (error) {
    nullIfMissing(error);
    return [];
  }
}

/** @throws the error, unless it says that a file is missing */
function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

// Real requests of the pages for browsers (docs/contract.md §20). In production, and with CONSOLE=off, there is nothing at their paths.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Draft } from './request.ts';

const files = readdirSync(join(import.meta.dirname, '../../../dist/pages/assets'));

/** A file of the pages by the end of its name: the middle is a digest. */
function fileNamed(end: string): string {
  const found = files.find((name) => name.endsWith(end));
  if (found === undefined) throw new Error(`There is no ${end} in dist/pages/assets: build the pages.`);
  return found;
}

const opened = [['Accept', 'text/html,application/xhtml+xml,*/*;q=0.8']] as const;

function get(path: readonly string[], seed: string, headers: Draft['headers'] = opened): Draft {
  return { seed, method: 'GET', path, query: [], headers, body: null };
}

/** Few, so that most of what is sent still asks for data. */
export const pageSeeds: readonly Draft[] = [
  get([''], 'GET the start page'),
  get(['graphql'], 'GET GraphiQL'),
  get(['console'], 'GET the console'),
  get(['pages', 'assets', fileNamed('.css')], 'GET a style sheet of the pages', []),
];

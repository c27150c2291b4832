// What a page takes until it is painted, by the browser's own entries. Nothing is expected of the times: they are noted in
// coverage/pages/figures.json, for people to look at.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenPage } from './browser.ts';

const folder = join(import.meta.dirname, '../../coverage/pages');
const file = join(folder, 'figures.json');

export interface Figures {
  /** Milliseconds from the request of the page to the first paint of some of its content. */
  readonly firstPaint: number;
  /** How many files it loaded, itself among them. */
  readonly files: number;
  /** The bytes of these, as they were sent. */
  readonly sent: number;
}

const ask = `(() => {
  const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return {
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    files: loaded.length,
    sent: loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  };
})()`;

/** Waits until a page is painted and has loaded what it begins with. */
export async function readFigures({ page }: OpenPage): Promise<Figures> {
  await page.waitForLoadState('networkidle').catch(() => undefined);
  const end = performance.now() + 60_000;
  let figures = await page.evaluate<Figures>(ask);
  while (figures.firstPaint === 0 && performance.now() < end) {
    await sleep(50);
    figures = await page.evaluate<Figures>(ask);
  }
  return figures;
}

/** Notes the figures of a page beside those of the others. */
export function noteFigures(path: string, figures: Figures): void {
  mkdirSync(folder, { recursive: true });
  let known: object;
  try {
    known = JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    known = {};
  }
  writeFileSync(file, `${JSON.stringify({ ...known, [path]: figures }, null, 2)}\n`);
}

// The console in a browser: a demo site whose tokens are at hand, the sign-in, and what holds of every page that is left.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { createDemo, type Demo } from '../../src/cli/demo/demo.ts';
import type { TestApp } from './app.ts';
import { as, type Caller } from './as.ts';
import {
  expectAccessible,
  expectReadable,
  openPage,
  suiteBrowser,
  takePicture,
  type OpenPage,
  type PageOptions,
} from './browser.ts';
import { demoClient } from './db.ts';
import { suiteApp } from './scene.ts';

export interface ConsoleSuite {
  readonly app: TestApp;
  readonly browser: Browser;
  readonly demo: Demo;
  /** Asks with the demo's master token, past the browser. */
  readonly master: Caller;
  /** Opens the console and signs in, by default with the master token. */
  readonly enter: (options?: PageOptions & { readonly token?: string; readonly site?: string }) => Promise<OpenPage>;
}

/** The service with the demo site, and a browser, until the last test of the file. */
export async function suiteConsole(environment: Record<string, string> = {}): Promise<ConsoleSuite> {
  const app = await suiteApp(environment);
  const demo = await createDemo(demoClient(app.database));
  if (demo === null) throw new Error('The database of the test was not empty.');
  const browser = await suiteBrowser();
  return {
    app,
    browser,
    demo,
    master: as(app, { token: demo.tokens.master }),
    enter: async ({ token = demo.tokens.master, site, ...options } = {}) => {
      const open = await openPage(browser, `${app.url}/console`, options);
      await signIn(open.page, token, site);
      await open.page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
      return open;
    },
  };
}

/** Fills in the door, and knocks. */
export async function signIn(page: Page, token: string, site?: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token);
  if (site !== undefined) await page.getByLabel('Site', { exact: true }).fill(site);
  await page.getByRole('button', { name: 'Use the token' }).click();
}

/** Opens a screen by its address below /console. */
export async function visit({ page }: OpenPage, path: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
}

const widths = { desktop: 1280, phone: 390 } as const;

/** The dialogs whose content is wider than they are. */
const overfull = `[...document.querySelectorAll('dialog')].filter((each) => each.scrollWidth > each.clientWidth).length`;

/** Looks at a screen: axe finds nothing serious in light and dark, it fits a phone, and pictures of it are left. */
export async function expectGoodLooks(open: OpenPage, name: string): Promise<void> {
  const { page } = open;
  await expectAccessible(open);
  expect(await page.evaluate(overfull)).toBe(0);
  await takePicture(open, `console-${name}-${widths.desktop}`);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await expectReadable(open);
  await takePicture(open, `console-${name}-dark-${widths.desktop}`);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: widths.phone, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(widths.phone);
  expect(await page.evaluate(overfull)).toBe(0);
  await takePicture(open, `console-${name}-${widths.phone}`);
  await page.setViewportSize({ width: widths.desktop, height: 800 });
}

/**
 * Leaves a page: it asked no other host, no token stood in an address, and the browser reported nothing but the refusals
 * that the test was about.
 * @param refusals the statuses of these
 */
export async function leave(open: OpenPage, refusals: readonly number[] = []): Promise<void> {
  const isRefusal = (fault: string): boolean =>
    refusals.some((status) => fault.includes(`with a status of ${status} `));
  const faults = open.faults.filter((fault) => !isRefusal(fault));
  expect({ strangers: open.strangers, faults }).toEqual({ strangers: [], faults: [] });
  expect([...open.requests, open.page.url()].filter((address) => /ew_[a-z]+_/.test(address))).toEqual([]);
  await open.close();
}

/** Waits until what a page shows is what is wanted, and expects that. */
export async function expectSoon<Value>(read: () => Promise<Value>, wanted: Value): Promise<void> {
  const end = performance.now() + 60_000;
  let last = await read();
  while (!isDeepStrictEqual(last, wanted) && performance.now() < end) {
    await sleep(50);
    last = await read();
  }
  expect(last).toEqual(wanted);
}

/** Expects that the table shows entries with these titles, in their order, as soon as it has loaded. */
export async function expectTitles(page: Page, wanted: readonly string[]): Promise<void> {
  await expectSoon(() => page.locator('td[data-label="Title"] a').allTextContents(), [...wanted]);
}

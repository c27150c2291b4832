// Headless Chromium, for tests of the pages. What a page asks of another host, and what it reports as an error, is collected.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest } from '@jest/globals';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** Where pictures are left for people to look at. */
const pictures = join(import.meta.dirname, '../../coverage/pages');

/** How long a test waits for what a page shows, on a busy machine. */
const patience = 120_000;

/** How long a whole test may take: it is made of dozens of clicks, each of which may take long on a busy machine. */
const testPatience = 600_000;

/** A page that is open, and what was wrong with it so far. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other hosts, which are not let out. */
  readonly strangers: readonly string[];
  /** Errors and warnings on the console, uncaught errors, and violations of the content security policy. */
  readonly faults: readonly string[];
  /** The addresses of all requests. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** The browser that scripts/test.mjs found. @throws Error if the variable names none */
function findBrowser(): string {
  const named = process.env['CHROMIUM'] ?? '';
  if (existsSync(named)) return named;
  throw new Error(`The variable CHROMIUM must name an installation of Chromium: there is none at "${named}".`);
}

/** Starts Chromium, until the last test of the file. The tests of the file have longer than others, and their pages are closed. */
export async function suiteBrowser(): Promise<Browser> {
  jest.setTimeout(testPatience);
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: findBrowser(), args, timeout: 120_000 });
  // What a test that failed left open would keep its connections, for which the service waits when it stops.
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(() => browser.close());
  return browser;
}

/** Opens an address in a session of its own: it has no storage and no cache yet. Only the address's own host is reached. */
export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<OpenPage> {
  const { width = 1280, height = 800, colorScheme = 'light' } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(patience);
  const { host } = new URL(url);
  const strangers: string[] = [];
  const requests: string[] = [];
  const faults: string[] = [];
  await context.route(
    ({ protocol, host: asked }) => /^(https?|wss?):$/.test(protocol) && asked !== host,
    (route) => {
      strangers.push(route.request().url());
      return route.abort();
    },
  );
  context.on('request', (request) => void requests.push(request.url()));
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => void faults.push(String(error.error())));
  const page = await context.newPage();
  await page.goto(url, { timeout: patience });
  return { page, context, strangers, requests, faults, close: () => context.close() };
}

/** Expects that a page asked no other host, and reported nothing. */
export function expectClean({ strangers, faults }: OpenPage): void {
  expect({ strangers, faults }).toEqual({ strangers: [], faults: [] });
}

/** Leaves a picture of a page in coverage/pages/, which is not part of the repository. */
export async function takePicture({ page }: OpenPage, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Expects that axe-core finds no serious or critical fault of a page. @param ignored rules, each of which the test gives a reason for */
export function expectAccessible(open: OpenPage, ignored: readonly string[] = []): Promise<void> {
  return expectNothingGrave(new AxeBuilder({ page: open.page }).disableRules([...ignored]));
}

/** Expects that axe-core finds the texts of a page readable, in the colours that it has now. */
export function expectReadable({ page }: OpenPage): Promise<void> {
  return expectNothingGrave(new AxeBuilder({ page }).withRules('color-contrast'));
}

async function expectNothingGrave(axe: AxeBuilder): Promise<void> {
  const { violations } = await axe.analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' ')).slice(0, 5)])).toEqual([]);
}

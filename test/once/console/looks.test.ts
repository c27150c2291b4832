// How the console looks and what it weighs: axe in light and dark, the keyboard, a phone's width, the size of its files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { takePicture } from '../../support/browser.ts';
import { expectGoodLooks, leave, suiteConsole, visit } from '../../support/console.ts';

const root = join(import.meta.dirname, '../../..');
const { enter, master } = await suiteConsole();
await master.rest('PATCH', '/channels/articles/entries/the-last-ferry-of-the-evening', {
  body: { _acl: { 'role:editor': { update: true } } },
});
const { body: articles } = await master.rest<{ id: string; slug: string }[]>('GET', '/channels/articles/entries');
const { body: films } = await master.rest<{ id: string; slug: string }[]>('GET', '/channels/films/entries');
const { body: customers } = await master.rest<{ id: string }[]>('GET', '/customers');

const idOf = (entries: readonly { id: string; slug: string }[], slug: string): string =>
  entries.find((entry) => entry.slug === slug)?.id ?? '';

/** What is shown of a screen when it has loaded. */
type Shown = (page: Page) => Promise<void>;

const ferry = `/channels/articles/entries/${idOf(articles, 'the-last-ferry-of-the-evening')}`;
const screens: readonly (readonly [name: string, path: string, shown: Shown])[] = [
  ['channels', '/', (page) => page.getByRole('heading', { name: 'Films' }).waitFor()],
  ['entries', '/channels/films', (page) => page.getByRole('link', { name: 'Dune', exact: true }).waitFor()],
  ['fields', '/channels/films/fields', (page) => page.getByRole('cell', { name: 'reference to people' }).waitFor()],
  [
    'channel-access',
    '/channels/articles/access',
    async (page) => {
      await page.getByLabel('Who may read').selectOption('none');
      await page.getByText('They lose 3 entries:').first().waitFor();
    },
  ],
  ['new-entry', '/channels/films/new', (page) => page.getByRole('button', { name: 'Create' }).waitFor()],
  [
    'form',
    `/channels/films/entries/${idOf(films, 'dune')}`,
    (page) => page.getByRole('button', { name: 'Save' }).waitFor(),
  ],
  [
    'entry-access',
    ferry,
    async (page) => {
      await page.getByRole('button', { name: 'Access', exact: true }).click();
      await page.getByLabel('read: role:editor').selectOption('deny');
      await page.getByText('lose: read.').waitFor();
    },
  ],
  [
    'why',
    '/channels/articles',
    async (page) => {
      await page.getByRole('combobox', { name: 'Seen by' }).selectOption('anonymous');
      await page.getByLabel(/Also list what/).check();
      await page.getByText('hidden', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Why: The Map Room, Part One' }).click();
      await page.getByTestId('verdict').waitFor();
    },
  ],
  [
    'looked-at',
    ferry,
    async (page) => {
      await page.getByRole('combobox', { name: 'Seen by' }).selectOption('anonymous');
      await page.getByText('A preview is read only.').waitFor();
      await page.getByTestId('verdict').waitFor();
    },
  ],
  ['customers', '/customers', (page) => page.getByRole('link', { name: 'Robin' }).waitFor()],
  ['customer', `/customers/${customers[0]?.id ?? ''}`, (page) => page.getByText('There are no sessions.').waitFor()],
  [
    'tokens',
    '/tokens',
    async (page) => {
      await page.getByRole('button', { name: 'Revoke demo (master)' }).waitFor();
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Kind').waitFor();
    },
  ],
];

test.each(screens)(
  '%s: axe finds nothing serious in light and dark, and it fits a phone',
  async (name, path, shown) => {
    const open = await enter();
    await visit(open, path);
    await shown(open.page);
    await expectGoodLooks(open, name);
    await leave(open);
  },
);

test('the screenshots of the README can be taken, and the stored ones are small', async () => {
  const open = await enter({ width: 1040, height: 640 });
  const { page } = open;
  await visit(open, '/channels/articles');
  await page.getByRole('combobox', { name: 'Seen by' }).selectOption('anonymous');
  await page.getByLabel(/Also list what/).check();
  await page.getByText('hidden', { exact: true }).first().waitFor();
  await takePicture(open, 'readme-preview');
  await page.getByRole('button', { name: 'Why: The Map Room, Part One' }).click();
  await page.getByTestId('verdict').waitFor();
  await takePicture(open, 'readme-why');
  await leave(open);
  const shown = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)];
  expect(shown.map(([, path = '']) => path)).toEqual([
    'docs/pictures/console-preview.png',
    'docs/pictures/console-why.png',
  ]);
  for (const [, path = ''] of shown) {
    const picture = readFileSync(join(root, path));
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect([path, picture.length <= 150_000]).toEqual([path, true]);
  }
});

test('Tab reaches each control in order, with a visible focus, and stays within a dialog', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/articles');
  await page.getByRole('button', { name: 'Why: The Map Room, Part One' }).waitFor();
  const named = `(() => { const e = document.activeElement; return (e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent).trim(); })()`;
  const tab = async (): Promise<string> => {
    await page.keyboard.press('Tab');
    return page.evaluate<string>(named);
  };
  await page.evaluate('document.activeElement.blur()');
  const first: string[] = [];
  while (first.at(-1) !== 'New entry' && first.length < 30) first.push(await tab());
  expect(first).toEqual([
    ...[
      'To the content',
      'Entryway',
      'Channels',
      'Customers',
      'Members',
      'Tokens',
      'GraphQL',
      'REST',
      'Sign out',
      'Seen by',
    ],
    ...['Articles', 'Comments', 'People', 'Films', 'Entries', 'Fields', 'Access'],
    ...['Search the texts', 'Apply', 'Add a filter', 'New entry'],
  ]);
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  // Enter opens the dialog; Tab stays in it; Escape closes it, and the focus is where it was.
  await page.getByRole('button', { name: 'Why: The Map Room, Part One' }).focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('verdict').waitFor();
  for (let presses = 0; presses < 5; presses += 1) {
    await page.keyboard.press('Tab');
    // The browser itself comes between the last and the first: its document has no focus then.
    expect(
      await page.evaluate(`document.activeElement === document.body || !!document.activeElement.closest('dialog')`),
    ).toBe(true);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate(named)).toBe('Why: The Map Room, Part One');
  await leave(open);
});

test('the console’s files are small', () => {
  const folder = join(root, 'dist/pages');
  const page = readFileSync(join(folder, 'app/index.html'), 'utf8');
  const names = [...page.matchAll(/pages\/assets\/([\w.-]+)/g)].map(([, name]) => name ?? '');
  const listed = readdirSync(join(folder, 'assets')).filter((name) => names.includes(name));
  const size = listed.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, 'assets', name))).length, 0);
  expect(listed).toHaveLength(names.length);
  expect(size).toBeGreaterThan(50_000);
  expect(size).toBeLessThan(300_000);
});

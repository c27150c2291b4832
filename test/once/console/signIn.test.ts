// Signing in to the console with a password: at the door, for as long as it lasts, over a form where it ends, and in several tabs.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { mintToken } from '../../../src/auth/tokens.ts';
import { as } from '../../support/as.ts';
import { openPage } from '../../support/browser.ts';
import { buildSite } from '../../support/build.ts';
import { expectGoodLooks, expectSoon, leave, suiteConsole, visit } from '../../support/console.ts';
import { addTestProvider, removeTestProvider, suiteProvider } from '../../support/oidc.ts';
import { buildPerson, forgetFailures, goodPassword, Browser as Stranger } from '../../support/signIn.ts';

const { app, browser, demo, master } = await suiteConsole();
const db = app.database.prisma;
const other = await buildSite(db);
const provider = await suiteProvider([`${app.url}/auth/oidc/acme/callback`]);
const at = '/channels/articles/entries/notes-on-a-harbour-in-fog';

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const title = (page: Page) => page.getByRole('textbox', { name: 'Title' });
const again = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' });

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Password', { exact: true }).press('Enter');
}

/** What the pages of this tab and of this browser have stored. */
const stored = (page: Page) => page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');

async function enterAs(email: string) {
  const open = await openPage(browser, `${app.url}/console`);
  await fillIn(open.page, email, goodPassword);
  await heading(open.page, 'Channels').waitFor();
  return open;
}

test('a user signs in with a password, chooses a site, is still in after a reload and in a new tab, and signs out', async () => {
  const { email } = await buildPerson(db, { memberOf: [demo.site, other.id] });
  const open = await openPage(browser, `${app.url}/console`);
  const { page, context } = open;
  await heading(page, 'Sign in').waitFor();
  await fillIn(page, email, 'not the password at all');
  await page.getByText('Email and password do not belong together.').waitFor();
  expect(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  await expectGoodLooks(open, 'sign-in');
  await fillIn(page, email, goodPassword);
  await page.getByRole('list', { name: 'Sites' }).getByText(demo.site, { exact: true }).click();
  await heading(page, 'Channels').waitFor();
  await page.getByRole('link', { name: email }).waitFor();
  // The token is in the memory of the page alone, and no script sees the cookie.
  expect(await stored(page)).not.toContain('ew_');
  expect(await page.evaluate('document.cookie')).toBe('');
  await visit(open, '/channels/films');
  await page.reload();
  await heading(page, 'Films').waitFor();
  const tab = await context.newPage();
  await tab.goto(`${app.url}/console`);
  await heading(tab, 'Channels').waitFor();
  expect(await tab.getByRole('combobox', { name: 'Site' }).inputValue()).toBe(demo.site);
  await tab.getByRole('combobox', { name: 'Site' }).selectOption(other.id);
  await expectSoon(() => tab.getByRole('navigation', { name: 'Channels' }).getByRole('link').count(), 0);
  await expectGoodLooks({ ...open, page: tab }, 'signed-in');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  await tab.getByText('You were signed out in another tab.').waitFor();
  await tab.reload();
  await heading(tab, 'Sign in').waitFor();
  expect([await stored(page), await stored(tab)]).toEqual(['[{},{}]', '[{},{}]']);
  expect(await db.signIn.count({ where: { user: { email } } })).toBe(0);
  await leave(open, [401]);
});

test('a user signs in by a provider, comes back to where it was, and is in; who gives up there is told so', async () => {
  const { email } = await buildPerson(db, { memberOf: [demo.site] });
  await addTestProvider(app, { id: 'acme', name: 'Acme', issuer: provider.issuer });
  const open = await openPage(browser, `${app.url}/console#/channels/films`);
  const { page } = open;
  const door = page.getByRole('link', { name: 'Sign in with Acme' });
  await door.waitFor();
  await expectGoodLooks(open, 'sign-in-providers');
  await door.click();
  await heading(page, 'Not signed in').waitFor();
  await page.getByRole('link', { name: 'Back to the console' }).click();
  await page.goto(`${app.url}/console#/channels/films`);
  provider.person = { sub: email, email, email_verified: true };
  await door.click();
  await heading(page, 'Films').waitFor();
  expect(page.url()).toBe(`${app.url}/console#/channels/films`);
  await page.getByRole('link', { name: email }).waitFor();
  expect(await stored(page)).not.toContain('ew_');
  expect(await db.signIn.count({ where: { user: { email }, providerId: 'acme' } })).toBe(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  expect(await stored(page)).toBe('[{},{}]');
  await removeTestProvider(app, 'acme');
  await leave(open, [401]);
});

test('a user who is locked out, or for whom there is no place, is told so, and may try again', async () => {
  const { email } = await buildPerson(db, { memberOf: [demo.site] });
  const stranger = new Stranger(app);
  for (let attempt = 0; attempt < 10; attempt += 1) await stranger.signIn({ email }, 'not the password at all');
  const open = await openPage(browser, `${app.url}/console`);
  const { page } = open;
  await fillIn(page, email, goodPassword);
  await page.getByText(/^Too many attempts have failed. Try again in 1\d minutes.$/).waitFor();
  await forgetFailures(app);
  const problem = { status: 503, code: 'unavailable', title: 'Unavailable', detail: 'Busy.' };
  await page.route('**/auth/sign-in', (route) =>
    route.fulfill({ status: 503, headers: { 'Retry-After': '2' }, json: problem }),
  );
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Too many people sign in at this moment. Try again in 2 seconds.').waitFor();
  await page.unroute('**/auth/sign-in');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Channels').waitFor();
  expect(await db.signIn.count({ where: { user: { email } } })).toBe(1);
  await leave(open, [429, 503]);
});

test('a token is replaced before it ends and when it is refused, and a form that is filled in loses nothing', async () => {
  const { email } = await buildPerson(db, { memberOf: [demo.site] });
  const open = await enterAs(email);
  const { page } = open;
  const renewals = (): number => open.requests.filter((url) => url.endsWith('/auth/token')).length;
  await visit(open, at);
  await title(page).fill('Typed before');
  expect(renewals()).toBe(0);
  // A token is over when the service says so, whatever was known of it: what was sent is sent again.
  let refused = 0;
  await page.route(`**${at.replace(/[^/]+$/, '*')}`, async (route) => {
    if (route.request().method() === 'GET' || refused > 0) return route.fallback();
    refused += 1;
    return route.fulfill({ status: 401, json: { status: 401, code: 'unauthenticated', title: 'No', detail: 'No.' } });
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect([refused, renewals()]).toEqual([1, 1]);
  expect((await master.rest('GET', at)).body).toMatchObject({ title: 'Typed before' });
  // When its time is nearly over, it is replaced first.
  await page.clock.install();
  await title(page).fill('Typed after');
  await page.clock.fastForward('14:30');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectSoon(async () => (await master.rest<{ title: string }>('GET', at)).body.title, 'Typed after');
  expect(renewals()).toBe(2);
  await leave(open, [401]);
});

test('where a sign-in ends, one signs in over the form, which stays as it was, and what was asked goes on; in other tabs, too', async () => {
  const { email } = await buildPerson(db, { memberOf: [demo.site] });
  const stranger = await buildPerson(db, { memberOf: [demo.site] });
  const open = await enterAs(email);
  const { page, context } = open;
  await visit(open, at);
  await title(page).fill('Typed while it ended');
  const tab = await context.newPage();
  await tab.goto(`${app.url}/console`);
  await heading(tab, 'Channels').waitFor();
  // It ends elsewhere; the stream of changes tells.
  await context.request.post(`${app.url}/auth/sign-out`);
  await again(page).waitFor();
  await again(tab).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expectGoodLooks(open, 'sign-in-again');
  expect(await title(page).inputValue()).toBe('Typed while it ended');
  await again(page).getByLabel('Password', { exact: true }).fill(goodPassword);
  await again(page).getByRole('button', { name: 'Sign in' }).click();
  await again(page).waitFor({ state: 'detached' });
  await again(tab).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await master.rest('GET', at)).body).toMatchObject({ title: 'Typed while it ended' });
  // Somebody else signs in in the other tab: nothing that was typed goes on as theirs.
  await title(page).fill('Typed by the first');
  await context.request.post(`${app.url}/auth/sign-out`);
  await again(tab).getByRole('button', { name: 'Leave, and lose what is not saved' }).click();
  await again(page).waitFor();
  await fillIn(tab, stranger.email, goodPassword);
  await heading(tab, 'Channels').waitFor();
  await again(page).getByText(`In this browser ${stranger.email} has signed in meanwhile`).waitFor();
  await again(page).getByLabel('Password', { exact: true }).fill(goodPassword);
  await again(page).getByRole('button', { name: 'Sign in' }).click();
  await again(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await title(page).inputValue()).toBe('Typed by the first');
  await leave(open, [401]);
});

test('a user changes the password, ends another sign-in, and signs out everywhere', async () => {
  const { id, email } = await buildPerson(db, { memberOf: [demo.site] });
  await new Stranger(app).signIn({ email });
  const open = await enterAs(email);
  const { page } = open;
  await page.getByRole('link', { name: email }).click();
  await heading(page, 'Account').waitFor();
  const rows = page.getByRole('table', { name: 'Your sign-ins' }).locator('tbody tr');
  await expectSoon(() => rows.count(), 2);
  expect(await rows.filter({ hasText: 'this one' }).count()).toBe(1);
  await page.getByRole('button', { name: /^End the sign-in/ }).click();
  await expectSoon(() => rows.count(), 1);
  const fields = { current: page.getByLabel('Current password'), next: page.getByLabel('New password') };
  await fields.current.fill('not the password at all');
  await fields.next.fill('short');
  await fields.next.press('Enter');
  await page.getByText('It must have at least 12 characters.').waitFor();
  await fields.next.fill('another battery, and a horse');
  await fields.next.press('Enter');
  await page.getByText('That is not your password.').waitFor();
  await expectGoodLooks(open, 'account');
  await fields.current.fill(goodPassword);
  await fields.next.press('Enter');
  await page.getByText('Changed. Your other sign-ins have ended.').waitFor();
  expect((await new Stranger(app).signIn({ email })).status).toBe(401);
  expect((await new Stranger(app).signIn({ email }, 'another battery, and a horse')).status).toBe(200);
  await page.getByRole('button', { name: 'Sign out everywhere …' }).click();
  await page.getByLabel('Also end my personal tokens').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await heading(page, 'Sign in').waitFor();
  expect(await db.signIn.count({ where: { userId: id } })).toBe(0);
  await leave(open, [401, 422]);
});

test('a user makes a personal token for this site and some of the own rights, and revokes it', async () => {
  const { email } = await buildPerson(db, { memberOf: [demo.site], roles: ['editor'] });
  const open = await enterAs(email);
  const { page } = open;
  await page.getByRole('link', { name: email }).click();
  await page.getByText('There are no tokens.').waitFor();
  await page.getByRole('button', { name: 'New personal token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Reader');
  await dialog.getByLabel('May do').selectOption('limited');
  // Nobody gives what they do not have.
  await dialog.getByLabel('Right', { exact: true }).selectOption('publish');
  expect(await dialog.getByRole('button', { name: 'Add the right' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Right', { exact: true }).selectOption('read');
  await dialog.getByRole('button', { name: 'Add the right' }).click();
  await expectGoodLooks(open, 'personal-token');
  await dialog.getByRole('button', { name: 'Make the token' }).click();
  const token = (await dialog.locator('output').textContent()) ?? '';
  const reader = as(app, { token, site: demo.site });
  expect((await reader.rest('GET', '/channels/articles/entries')).status).toBe(200);
  expect((await reader.rest('POST', '/channels/articles/entries', { body: { title: 'No' } })).status).toBe(403);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await page
    .getByRole('row', { name: /Reader/ })
    .getByText('Only read')
    .waitFor();
  await page.getByRole('button', { name: `Revoke Reader (${demo.site})` }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page
    .getByRole('row', { name: /Reader/ })
    .getByText('revoked')
    .waitFor();
  await expectSoon(async () => (await reader.rest('GET', '/channels')).status, 401);
  await leave(open);
});

test('a link that sets a password leads into the console, and its secret is in no address', async () => {
  const { id: userId, email } = await buildPerson(db, { memberOf: [demo.site] });
  const { token, hash } = mintToken('link');
  const now = new Date();
  const data = { userId, hash, keepTokens: false, keepLinks: false, createdAt: now };
  await db.userLink.create({ data: { ...data, expiresAt: new Date(now.getTime() + 3_600_000) } });
  const open = await openPage(browser, `${app.url}/console/invitation#${token}`);
  const { page } = open;
  await heading(page, 'Your way in').waitFor();
  expect(page.url()).toBe(`${app.url}/console/invitation`);
  await page.getByLabel('Password', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Set the password, and sign in' }).click();
  await page.getByText('It must not be the address.').waitFor();
  await expectGoodLooks(open, 'invitation');
  await page.getByRole('button', { name: 'Show the password' }).click();
  await page.getByLabel('Password', { exact: true }).fill('another battery, and a horse');
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await heading(page, 'Channels').waitFor();
  await page.getByRole('link', { name: email }).waitFor();
  expect(await stored(page)).not.toContain('ew_');
  await page.goBack();
  expect(page.url()).not.toContain('#ew_');
  const isLink = (url: string): boolean => url.includes('/console/invitation');
  await leave({ ...open, requests: open.requests.filter((url) => !isLink(url)) }, [422]);
});

test('an invitation makes a new user, and who has an account signs in and accepts it', async () => {
  const { email } = await buildPerson(db, { memberOf: [other.id] });
  const invite = async (to: string): Promise<string> =>
    (await master.rest<{ url: string }>('POST', '/invitations', { body: { email: to, roles: ['editor'] } })).body.url;
  const pathOf = (url: string): string => app.url + new URL(url).pathname + new URL(url).hash;
  const first = pathOf(await invite('lin@example.com'));
  const open = await openPage(browser, first);
  const { page, context } = open;
  await page.getByLabel('Name').fill('Lin');
  await page.getByLabel('Password', { exact: true }).fill(goodPassword);
  await page.getByRole('button', { name: 'Set the password, and sign in' }).click();
  await heading(page, 'Channels').waitFor();
  await page.getByRole('link', { name: 'Lin' }).waitFor();
  expect((await db.membership.findFirst({ where: { user: { email: 'lin@example.com' } } }))?.roles).toEqual(['editor']);
  // The link is good once. Another one, of an address that has an account, asks for its user, and for no other.
  const tab = await context.newPage();
  await tab.goto(first);
  await tab.getByText('Ask for a new one.').waitFor();
  const second = await context.newPage();
  await second.goto(pathOf(await invite(email)));
  await heading(second, 'Accept the invitation').waitFor();
  await second.getByText('has an account').waitFor();
  await second.getByRole('button', { name: 'Accept as lin@example.com' }).click();
  await second.getByText(`The invitation is for ${email}`).waitFor();
  await expectGoodLooks({ ...open, page: second }, 'invitation-account');
  await fillIn(second, email, goodPassword);
  // The other tab is on the site of the invitation, and this one goes on there.
  await heading(second, 'Channels').waitFor();
  await second.getByRole('link', { name: email }).waitFor();
  expect(await second.getByRole('combobox', { name: 'Site' }).inputValue()).toBe(demo.site);
  const isLink = (url: string): boolean => url.includes('/console/invitation');
  await leave({ ...open, requests: open.requests.filter((url) => !isLink(url)) }, [409, 422]);
});

// The console in a browser, managing: a channel's scopes, customers, sessions, tokens, and what happens meanwhile.
import { expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { expectGoodLooks, expectSoon, expectTitles, leave, suiteConsole, visit } from '../../support/console.ts';

const { app, demo, enter, master } = await suiteConsole();
const visitor = as(app, { token: demo.tokens.public });

test('the scopes of a channel are changed after a preview of the entries that appear and disappear', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/articles/access');
  await page.getByText('Change a scope, and this shows').waitFor();
  await page.getByLabel('Who may read').selectOption('shared');
  const preview = page.getByRole('region', { name: 'What visitors gain and lose' });
  await preview.getByText('They lose 3 entries:').waitFor();
  await preview.getByRole('link', { name: 'The Last Ferry of the Evening' }).waitFor();
  // A denial for everyone binds customers only where anyone may read: this entry would appear to them.
  await preview.getByText('They gain 1 entry:').waitFor();
  await preview.getByRole('link', { name: 'The Map Room, Part One' }).waitFor();
  expect((await master.rest('GET', '/channels/articles')).body).toMatchObject({ acl: { read: 'public' } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Change a scope, and this shows').waitFor();
  expect((await master.rest('GET', '/channels/articles')).body).toMatchObject({
    acl: { read: 'shared', create: 'none' },
  });
  // What publication hides must not be shown by mistake: the service asks.
  await page.getByLabel(/Publishable/).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('Conflict (409)').waitFor();
  await page.getByRole('button', { name: 'Save, and show what was hidden' }).click();
  await page.getByText('Change a scope, and this shows').waitFor();
  expect((await master.rest('GET', '/channels/articles')).body).toMatchObject({ publishable: false });
  await leave(open, [409]);
});

test('a customer is created, changed, previewed and signed in', async () => {
  const open = await enter();
  const { page } = open;
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByRole('link', { name: 'Robin' }).waitFor();
  await page.getByRole('button', { name: 'New customer' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Id').fill('sam');
  await dialog.getByLabel('Email').fill('nobody');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Email').fill('sam@example.com');
  await dialog.getByLabel('Roles').fill('editor, ');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: 'sam' }).waitFor();
  await page.getByLabel('The whole email address').fill('sam@example.com');
  await page.getByRole('button', { name: 'Find' }).click();
  await expectSoon(() => page.locator('td[data-label="Customer"]').allTextContents(), ['sam']);
  await page.getByRole('link', { name: 'sam' }).click();
  await page.getByText('There are no sessions.').waitFor();
  await page.getByRole('button', { name: 'Change …' }).click();
  await dialog.getByLabel('Name').fill('Sam');
  await dialog.getByRole('button', { name: 'Save' }).click();
  // The heading is the id until there is a name.
  await page.getByRole('heading', { name: 'Sam', exact: true }).waitFor();
  expect((await master.rest('GET', '/customers/sam')).body).toMatchObject({ name: 'Sam', roles: ['editor'] });
  await page.getByLabel('For').selectOption('3600');
  await page.getByRole('button', { name: 'Make a session' }).click();
  const session = (await dialog.locator('output').textContent()) ?? '';
  expect(session).toMatch(/^ew_session_/);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator('body').textContent()).not.toContain(session);
  const signedIn = as(app, { token: demo.tokens.public, session });
  expect((await signedIn.rest('GET', '/channels')).status).toBe(200);
  await page.getByRole('button', { name: /^Revoke/ }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('revoked', { exact: false }).first().waitFor();
  await expectSoon(async () => (await signedIn.rest('GET', '/channels')).status, 401);
  await page.getByRole('button', { name: 'See the site as this customer' }).click();
  await page.getByText('You see what the customer sam sees now.').waitFor();
  await leave(open, [422]);
});

test('a change of a customer sends only the changed members, and roles are parsed as written', async () => {
  const path = '/customers/clerk';
  await master.rest('POST', '/customers', { body: { id: 'clerk', name: 'Clerk', roles: ['r,s', 'plain'] } });
  const open = await enter();
  const { page } = open;
  await visit(open, path);
  await page.getByText('roles: "r,s", plain').waitFor();
  await page.getByRole('button', { name: 'Change …' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  // Somebody else takes a role away meanwhile.
  await master.rest('PATCH', path, { body: { roles: ['r,s'] } });
  await dialog.getByLabel('Name').fill('The clerk');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'The clerk' }).waitFor();
  expect((await master.rest('GET', path)).body).toMatchObject({ name: 'The clerk', roles: ['r,s'] });
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Change …' }).click();
  await dialog.getByLabel('Roles').fill('"r,s", "t');
  await dialog.getByText('A comma must follow a closing double quote.').waitFor();
  await dialog.getByLabel('Roles').fill('"r,s", "t,""u"');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await master.rest('GET', path)).body).toMatchObject({ roles: ['r,s', 't,"u'] });
  await page.getByRole('combobox', { name: 'Seen by' }).selectOption('roles');
  await page.getByLabel('Roles, with commas between them').fill('"r,s", t');
  await page.getByLabel('Roles, with commas between them').press('Enter');
  await page.getByText('with the roles "r,s", t sees now').waitFor();
  await visit(open, '/channels/films');
  await page.getByRole('link', { name: 'Alien', exact: true }).waitFor();
  await leave(open);
});

test('the address of a customer opens it, with any characters in its id', async () => {
  const names = { 'a/b': 'Slash', 'a%2Fb': 'Encoded', '50%': 'Half', 'a@b:c,d?e#f': 'Marks', '..': 'Dots' };
  for (const [id, name] of Object.entries(names)) await master.rest('POST', '/customers', { body: { id, name } });
  const open = await enter();
  const { page } = open;
  for (const [id, name] of Object.entries(names).slice(0, -1)) {
    await visit(open, '/customers');
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    expect(await page.locator('main code').first().textContent()).toBe(id);
    await expectSoon(() => page.title(), `${name} · Customers – Entryway console`);
  }
  // Browsers take this id out of an address: nobody else is shown in its place.
  await visit(open, '/customers');
  await page.getByRole('link', { name: 'Dots' }).click();
  await page.getByRole('alert').getByText('A browser cannot ask for the id “..”').waitFor();
  for (const address of ['/customers/50%', '/channels/100%', '/channels/articles/entries/%ff']) {
    await visit(open, address);
    await page.getByText('There is no such page').waitFor();
    await visit(open, '/tokens');
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
  }
  await leave(open);
});

test('a screen that fails shows the error, and the others remain usable', async () => {
  const open = await enter();
  const { page } = open;
  await page.evaluate(`sessionStorage.setItem('entryway.list.people', '{')`);
  await visit(open, '/channels/people');
  await page.getByRole('alert').getByText('The console failed').waitFor();
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Films' }).click();
  await page.getByRole('link', { name: 'Alien', exact: true }).waitFor();
  expect(open.faults.filter((fault) => !fault.includes('SyntaxError'))).toEqual([]);
  await open.close();
});

test('a token is created, shown once and revoked', async () => {
  const open = await enter();
  const { page } = open;
  await page.getByRole('link', { name: 'Tokens' }).click();
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Website');
  await dialog.getByRole('button', { name: 'Make the token' }).click();
  const token = (await dialog.locator('output').textContent()) ?? '';
  expect(token).toMatch(/^ew_public_/);
  expect((await as(app, { token }).rest('GET', '/channels')).status).toBe(200);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator('body').textContent()).not.toContain(token);
  await page.getByRole('button', { name: 'Revoke Website (public)' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page
    .getByRole('row', { name: /Website/ })
    .getByText('revoked')
    .waitFor();
  await expectSoon(async () => (await as(app, { token }).rest('GET', '/channels')).status, 401);
  await leave(open);
});

test('a master token is limited to scopes, and the list names them', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Kind').selectOption('master');
  await dialog.getByLabel('Name').fill('Importer');
  await dialog.getByLabel('May do').selectOption('limited');
  await dialog.getByText('Without a scope it may do nothing.').waitFor();
  await dialog.getByLabel('Channel', { exact: true }).selectOption('films');
  expect(await dialog.getByText('only own ones').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Add the right' }).click();
  await dialog.getByText('Read entries of Films').waitFor();
  await expectGoodLooks(open, 'token-scopes');
  await dialog.getByRole('button', { name: 'Make the token' }).click();
  const limited = as(app, { token: (await dialog.locator('output').textContent()) ?? '' });
  expect((await limited.rest('GET', '/channels/films/entries')).status).toBe(200);
  expect((await limited.rest('GET', '/channels/articles/entries')).status).toBe(403);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await page
    .getByRole('row', { name: /Importer/ })
    .getByText('read@films')
    .waitFor();
  await leave(open);
});

test('changes by others show a mark, and are loaded on request', async () => {
  const open = await enter();
  const { page } = open;
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, '/channels/comments');
  await expectTitles(page, ['It works in a gas oven', 'Take the Morning Boat Too']);
  await master.rest('POST', '/channels/comments/entries', { body: { title: 'Third' } });
  await page.getByRole('button', { name: '1 change – show' }).waitFor();
  await master.rest('PATCH', '/channels/comments/entries/third', { body: { title: 'The third' } });
  await master.rest('POST', '/channels/comments/entries', { body: { title: 'Fourth' } });
  await page.getByRole('button', { name: '2 changes – show' }).waitFor();
  await expectTitles(page, ['It works in a gas oven', 'Take the Morning Boat Too']);
  await page.getByRole('button', { name: '2 changes – show' }).click();
  await expectTitles(page, ['Fourth', 'The third', 'It works in a gas oven', 'Take the Morning Boat Too']);
  expect(await page.getByRole('button', { name: /change.* – show/ }).count()).toBe(0);
  // One's own change is no news.
  await page.getByRole('link', { name: 'Fourth' }).click();
  await page.getByLabel('title', { exact: true }).fill('The fourth');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await master.rest('POST', '/channels/comments/entries', { body: { title: 'Fifth' } });
  await page.getByRole('link', { name: '← Comments' }).click();
  await page.getByRole('button', { name: '1 change – show' }).waitFor();
  await leave(open);
});

test('the feed is polled if streams do not pass', async () => {
  const open = await enter({ token: demo.tokens.user, site: demo.site });
  const { page, context } = open;
  await context.route(
    ({ pathname }) => pathname === '/changes',
    (route) => (route.request().headers()['accept'] === 'text/event-stream' ? route.abort() : route.continue()),
  );
  await page.reload();
  await page.getByText('asks every 5 s').waitFor();
  await visit(open, '/channels/people');
  await page.getByRole('link', { name: 'Fritz Lang' }).waitFor();
  await master.rest('PATCH', '/channels/people/entries/fritz-lang', { body: { born: '1890-12-06' } });
  await page.getByRole('button', { name: '1 change – show' }).waitFor();
  expect(open.strangers).toEqual([]);
  await open.close();
});

test('the console waits after a 429, and returns to the sign-in with a revoked token', async () => {
  const { body: made } = await master.rest<{ id: string; token: string }>('POST', '/tokens', {
    body: { kind: 'master', name: 'For a while' },
  });
  const open = await enter({ token: made.token });
  const { page, context } = open;
  const body = JSON.stringify({ title: 'Too many requests', detail: 'Slow down.', status: 429, code: 'rate_limited' });
  const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '2' };
  const isList = ({ pathname }: URL): boolean => pathname === '/channels/people/entries';
  await context.route(isList, (route) => route.fulfill({ status: 429, headers, body }));
  await visit(open, '/channels/people');
  await page.getByRole('alert').getByText('Too many requests (429)').waitFor();
  await context.unroute(isList);
  // The button can be used once the time is over.
  await page.getByRole('button', { name: 'Try again', exact: true }).click();
  await page.getByRole('link', { name: 'Fritz Lang' }).waitFor();
  await master.rest('DELETE', `/tokens/${made.id}`);
  await page.getByRole('alert').getByText('You were signed out').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await leave(open, [429, 401]);
});

test('the console leaves the API for visitors unchanged', async () => {
  expect((await visitor.rest('GET', '/channels/films/entries/dune')).body).toMatchObject({ slug: 'dune' });
});

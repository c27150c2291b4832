// The console in a browser: small things that one notices all day.
import { expect, test } from '@jest/globals';
import { openPage } from '../../support/browser.ts';
import { expectSoon, leave, suiteConsole, visit } from '../../support/console.ts';

const { app, browser, enter, master } = await suiteConsole();

const made = await master.rest('POST', '/channels', {
  body: {
    ...{ id: 'pages', name: 'Pages', publishable: true },
    fields: [
      { name: 'title', type: 'string', label: 'Title' },
      { name: 'body', type: 'html', label: 'Body' },
      { name: 'place', type: 'geo', label: 'Place' },
    ],
  },
});
if (made.status !== 201) throw new Error(made.text);
const body = '<p>First</p><p>second &amp; <b>th</b>ird</p><script>window.wasRun = true</script><img src="none.png">';
for (let number = 0; number < 30; number += 1) {
  await master.rest('POST', '/channels/pages/entries', {
    body: { title: `Page ${number}`, slug: `page-${number}`, body },
  });
}

test('the titles of windows have names, not ids', async () => {
  const open = await enter();
  const { page } = open;
  const { body: customer } = await master.rest('POST', '/customers', { body: { name: 'Kim' } });
  const { body: entry } = await master.rest('GET', '/channels/pages/entries/page-1');
  for (const [path, title] of [
    ['/', 'Channels'],
    ['/channels/pages', 'Pages'],
    ['/channels/pages/fields', 'Fields · Pages'],
    ['/channels/pages/new', 'New entry · Pages'],
    [`/channels/pages/entries/${String(entry['id'])}`, 'Page 1 · Pages'],
    [`/customers/${String(customer['id'])}`, 'Kim · Customers'],
    ['/tokens', 'Tokens'],
    ['/nowhere', 'No such page'],
  ] as const) {
    await visit(open, path);
    await expectSoon(() => page.title(), `${title} – Entryway console`);
  }
  await leave(open);
});

test('Ctrl-S saves the changes, and does nothing while a dialog is open', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/pages/entries/page-2');
  await page.getByRole('textbox', { name: 'Title' }).fill('Page two');
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.keyboard.press('Control+s');
  await page.keyboard.press('Escape');
  await page.getByText('Not saved yet: title').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await master.rest('GET', '/channels/pages/entries/page-2')).body).toMatchObject({ title: 'Page two' });
  await leave(open);
});

test('the next page of a list begins at its top, HTML is shown as text, and a draft has no error colour', async () => {
  const open = await enter({ height: 400 });
  const { page } = open;
  await visit(open, '/channels/pages');
  const cell = page.locator('td[data-label="Body"]').first();
  expect(await cell.textContent()).toBe('First second & third');
  expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
  const colour = (text: string): Promise<string> =>
    page.evaluate(
      `getComputedStyle([...document.querySelectorAll('.badge')].find((each) => each.textContent === '${text}')).color`,
    );
  const wrong = await page.evaluate(`(() => {
    const made = document.body.appendChild(document.createElement('span'));
    made.className = 'wrong';
    const { color } = getComputedStyle(made);
    made.remove();
    return color;
  })()`);
  expect(await colour('draft')).not.toBe(wrong);
  await page.getByRole('button', { name: 'Next' }).scrollIntoViewIfNeeded();
  expect(await page.evaluate('scrollY > 0')).toBe(true);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2, 30 entries').waitFor();
  await expectSoon(() => page.evaluate('scrollY'), 0);
  await leave(open);
});

test('counts have separators, disabled controls look disabled, and the side bar fills the window', async () => {
  const open = await enter();
  const { page, context } = open;
  await context.route(
    ({ pathname }) => pathname === '/channels/people/entries',
    async (route) => {
      const response = await route.fetch();
      const { 'x-total-count': _total, ...headers } = response.headers();
      await route.fulfill({ response, headers: { ...headers, 'x-total-count-at-least': '10000' } });
    },
  );
  await visit(open, '/channels/people');
  await page.getByText('Page 1, at least 10,000 entries').waitFor();
  await visit(open, '/channels/drawer');
  const style = (selector: string, property: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  expect(await style('.preview input:disabled', 'backgroundColor')).not.toBe(
    await style('.preview select', 'backgroundColor'),
  );
  const isHigh = `document.querySelector('.side').getBoundingClientRect().bottom >= innerHeight - 1`;
  expect(await page.evaluate(isHigh)).toBe(true);
  await leave(open);
});

test('labels of a geo field are separate from their inputs, and the buttons of an entry are in one row', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/pages/entries/page-3');
  await page.getByLabel('Longitude').waitFor();
  const gap = `(() => {
    const label = document.querySelector('.part');
    const range = document.createRange();
    range.selectNodeContents(label.firstChild);
    return label.querySelector('input').getBoundingClientRect().top - range.getBoundingClientRect().bottom;
  })()`;
  expect(await page.evaluate(gap)).toBeGreaterThan(0);
  const tops = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.actions button')].map((each) => Math.round(each.getBoundingClientRect().top))`,
  );
  expect(tops.length).toBeGreaterThanOrEqual(4);
  expect(new Set(tops).size).toBe(1);
  await leave(open);
});

test('a password manager can store the token of the sign-in', async () => {
  const open = await openPage(browser, `${app.url}/console`);
  const { page } = open;
  const token = page.getByLabel('Token', { exact: true });
  expect(await token.getAttribute('autocomplete')).toBe('current-password');
  await token.fill('ew_user_0');
  expect(await page.getByLabel('Site', { exact: true }).getAttribute('autocomplete')).toBe('username');
  await leave(open);
});

test('the first comment of GraphiQL is not truncated', async () => {
  const open = await openPage(browser, `${app.url}/graphql`);
  const { page } = open;
  await page.getByText('Enter a token above').waitFor();
  const beyond = `(() => {
    const lines = [...document.querySelectorAll('.graphiql-query-editor .view-line > span')];
    const edge = document.querySelector('.graphiql-query-editor').getBoundingClientRect().right;
    return [lines.length > 1, lines.filter((each) => each.getBoundingClientRect().right > edge).length];
  })()`;
  await expectSoon(() => page.evaluate(beyond), [true, 0]);
  await leave(open);
});

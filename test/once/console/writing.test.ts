// The console in a browser, writing: every type of field, conflicts, publication, access lists.
import { expect, test } from '@jest/globals';
import { expectSoon, leave, suiteConsole, visit } from '../../support/console.ts';

const { demo, enter, master } = await suiteConsole();

const types = [
  { name: 'title', type: 'string', label: 'Title', required: true, max: 40 },
  { name: 'code', type: 'string', label: 'Code', unique: true },
  { name: 'body', type: 'text', label: 'Body' },
  { name: 'markup', type: 'html', label: 'Markup' },
  { name: 'count', type: 'integer', label: 'Count' },
  { name: 'price', type: 'float', label: 'Price' },
  { name: 'open', type: 'boolean', label: 'Open' },
  { name: 'day', type: 'date', label: 'Day' },
  { name: 'moment', type: 'datetime', label: 'Moment' },
  { name: 'mail', type: 'email', label: 'Mail' },
  { name: 'link', type: 'url', label: 'Link' },
  { name: 'data', type: 'json', label: 'Data' },
  { name: 'size', type: 'select', label: 'Size', options: ['small', 'large'] },
  { name: 'marks', type: 'multi_select', label: 'Marks', options: ['new', 'rare', 'old'] },
  { name: 'words', type: 'strings', label: 'Words' },
  { name: 'place', type: 'geo', label: 'Place' },
  { name: 'film', type: 'reference', label: 'Film', channel: 'films' },
  { name: 'cast', type: 'references', label: 'Cast', channel: 'people' },
  { name: 'cover', type: 'file', label: 'Cover' },
];
const made = await master.rest('POST', '/channels', {
  body: { id: 'things', name: 'Things', publishable: true, fields: types },
});
if (made.status !== 201) throw new Error(made.text);

type Body = Record<string, unknown>;

/** The entry as the service has it. */
async function stored(path: string): Promise<Body> {
  return (await master.rest(`GET`, path)).body;
}

test('a form creates an entry with each type of field', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/things');
  await page.getByText('There are no entries to see here.').waitFor();
  await page.getByRole('link', { name: 'New entry' }).click();
  const fill = (label: string, text: string): Promise<void> => page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole('textbox', { name: 'Title' }).fill('x'.repeat(41));
  await page.getByRole('button', { name: 'Create' }).click();
  // What does not fit is said beside its field.
  await page.locator('.labelled', { hasText: 'Title' }).locator('.wrong').waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('textbox', { name: 'Title' }).fill('A thing');
  for (const [label, text] of Object.entries({
    ...{ Code: 'c-1', Body: 'One\nTwo', Markup: '<p>Hi</p>', Count: '7', Price: '1.5', Day: '2026-01-31' },
    ...{ Moment: '2026-01-31T10:20:30', Mail: 'a@example.com', Link: 'https://example.com/' },
    ...{ Longitude: '24.9', Latitude: '60.2', 'Address (URL)': 'https://example.com/a.png', 'Size in bytes': '12' },
  })) {
    await fill(label, text);
  }
  await page.getByLabel('Open', { exact: true }).selectOption('true');
  await page.getByLabel('Size', { exact: true }).selectOption('large');
  await page.getByLabel('rare').check();
  await page.getByLabel('new').check();
  await page.getByRole('button', { name: 'Add a text' }).click();
  await fill('Words, text 1', 'first');
  await page.getByRole('button', { name: 'Add a text' }).click();
  await fill('Words, text 2', 'second');
  await fill('Data', '{"a": [1, ');
  await page.getByText('This is not JSON.').waitFor();
  await fill('Data', '{"a": [1, 2]}');
  await page.getByRole('button', { name: 'Choose Film' }).click();
  await page.getByLabel('Title contains').fill('dune');
  await page.getByRole('dialog').getByRole('button', { name: 'Dune', exact: true }).click();
  for (const name of ['Denis Villeneuve', 'Ridley Scott']) {
    await page.getByRole('button', { name: 'Add to Cast' }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
  }
  await page.getByRole('button', { name: 'Up Ridley Scott' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'A thing' }).waitFor();
  const { moment, ...entry } = await stored('/channels/things/entries/a-thing');
  expect(new Date(String(moment)).getSeconds()).toBe(30);
  expect(entry).toMatchObject({
    ...{
      title: 'A thing',
      code: 'c-1',
      body: 'One\nTwo',
      markup: '<p>Hi</p>',
      count: 7,
      price: 1.5,
      day: '2026-01-31',
    },
    ...{ mail: 'a@example.com', link: 'https://example.com/', data: { a: [1, 2] }, size: 'large', open: true },
    ...{ marks: ['rare', 'new'], words: ['first', 'second'], place: { type: 'Point', coordinates: [24.9, 60.2] } },
    ...{ film: { slug: 'dune' }, cast: [{ slug: 'ridley-scott' }, { slug: 'denis-villeneuve' }], _status: 'draft' },
    cover: { url: 'https://example.com/a.png', size: 12 },
  });
  await leave(open, [422]);
});

test('a form sends only changed fields, and clears emptied ones', async () => {
  await master.rest('POST', '/channels/things/entries', {
    body: { title: 'Second', slug: 'second', count: 1, code: 'c-2', film: 'dune', words: ['a', 'b'] },
  });
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/things');
  await page.getByRole('link', { name: 'Second' }).click();
  await page.getByLabel('Count', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Clear Film' }).click();
  await page.getByRole('button', { name: 'Remove text 1 of Words' }).click();
  await page.getByText('Not saved yet: count, film, words').waitFor();
  await page.getByLabel('Code', { exact: true }).fill('c-1');
  await page.getByRole('button', { name: 'Save' }).click();
  // Another entry has that code.
  await page.getByRole('alert').getByText('Not saved: 1 field is not right').waitFor();
  await page.getByLabel('Code', { exact: true }).fill('c-2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stored('/channels/things/entries/second')).toMatchObject({
    count: null,
    film: null,
    words: ['b'],
    code: 'c-2',
  });
  // As JSON, and back by discarding.
  await page.getByRole('button', { name: 'JSON' }).click();
  const text = page.getByLabel('The entry as JSON');
  await text.fill('{"count": 5, "slug": "second-thing"}');
  await page.getByText('Not saved yet: count, slug').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stored('/channels/things/entries/second-thing')).toMatchObject({ count: 5, words: ['b'] });
  await page.getByRole('button', { name: 'Form' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Never');
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Second');
  await leave(open, [409]);
});

test('a conflicting change of an entry is resolved by choosing each value', async () => {
  const path = '/channels/things/entries/contested';
  await master.rest('POST', '/channels/things/entries', {
    body: { title: 'Contested', slug: 'contested', body: 'old', count: 1, mail: 'old@example.com' },
  });
  const open = await enter();
  const { page } = open;
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, '/channels/things');
  await page.getByRole('link', { name: 'Contested' }).click();
  await page.getByLabel('Body', { exact: true }).fill('mine');
  await page.getByLabel('Count', { exact: true }).fill('3');
  await page.getByLabel('Price', { exact: true }).fill('9');
  await master.rest('PATCH', path, { body: { body: 'theirs', count: 2, mail: 'new@example.com' } });
  // The stream of changes says so, and leaves the form alone.
  await page.getByText('Somebody else changed this entry.').waitFor();
  expect(await page.getByLabel('Body', { exact: true }).inputValue()).toBe('mine');
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Somebody else saved this entry, too').waitFor();
  expect(await dialog.locator('legend').allTextContents()).toEqual(['body', 'count']);
  expect(await dialog.locator('li').allTextContents()).toEqual(['mail: old@example.com new@example.com']);
  expect(await stored(path)).toMatchObject({ body: 'theirs', count: 2, price: null });
  expect(await dialog.getByRole('button', { name: 'Save this' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Theirs: theirs').check();
  await dialog.getByLabel('Yours: 3').check();
  await dialog.getByRole('button', { name: 'Save this' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stored(path)).toMatchObject({ body: 'theirs', count: 3, price: 9, mail: 'new@example.com' });
  await leave(open, [412]);
});

test('an entry is published, unpublished, scheduled and deleted', async () => {
  const path = '/channels/articles/entries/notes-on-a-harbour-in-fog';
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/articles');
  await page.getByRole('link', { name: 'Notes on a Harbour in Fog' }).click();
  const publication = page.getByRole('group', { name: 'Publication' });
  await publication.getByRole('button', { name: 'Publish now' }).click();
  await publication.getByText('published', { exact: true }).waitFor();
  expect(await stored(path)).toMatchObject({ _status: 'published', _publish_at: null });
  await publication.getByRole('button', { name: 'Unpublish' }).click();
  await publication.getByText('draft', { exact: true }).waitFor();
  await publication.getByRole('button', { name: 'Schedule …' }).click();
  await page.getByLabel('Visible from').fill('2999-01-01T12:00');
  await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click();
  await publication.getByText('scheduled, from').waitFor();
  expect(await stored(path)).toMatchObject({ _status: 'scheduled', _publish_at: expect.stringContaining('2999-01-0') });
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Articles' }).waitFor();
  await expectSoon(async () => (await master.rest('GET', path)).status, 404);
  await leave(open);
});

test('a change of an entry’s access list shows the actors that gain and lose access', async () => {
  const path = '/channels/articles/entries/the-last-ferry-of-the-evening';
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/articles');
  await page.getByRole('link', { name: 'The Last Ferry of the Evening' }).click();
  await page.getByRole('button', { name: 'Access', exact: true }).click();
  await page.getByText('Nobody gains or loses anything').waitFor();
  await page.getByLabel('Role', { exact: true }).fill('editor');
  await page.getByRole('button', { name: 'Add to the list' }).click();
  await page.getByLabel('Whom to add').selectOption('everyone');
  await page.getByRole('button', { name: 'Add to the list' }).click();
  await page.getByLabel('read: *').selectOption('deny');
  const changes = page.getByRole('region', { name: 'Who gains and loses' });
  await expectSoon(
    () => changes.locator('li').allTextContents(),
    ['anonymous visitors lose: read.', 'signed-in customers whom no key names lose: read.'],
  );
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stored(path)).toMatchObject({ _acl: { 'role:editor': { read: true }, '*': { read: false } } });
  await page.getByRole('button', { name: 'Who sees it, and why?' }).click();
  await page.getByTestId('verdict').getByText('does not see this entry').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Remove role:editor' }).click();
  await page.getByLabel('Owner').fill('ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stored(path)).toMatchObject({ _acl: { '*': { read: false } }, _owner: 'ada' });
  await leave(open);
});

test('a save with a token whose rights ended meanwhile is reported as refused', async () => {
  const open = await enter({ token: demo.tokens.user, site: demo.site });
  const { page, context } = open;
  const members = (await master.rest<{ user: string }[]>('GET', '/members')).body;
  const give = (roles: string[]) => master.rest('PATCH', `/members/${members[0]?.user}`, { body: { roles } });
  expect((await give([])).status).toBe(200);
  // What it might do before.
  const body = JSON.stringify({ create: true, update: true, access: false, delete: true, publish: false });
  await context.route(
    ({ pathname }) => pathname === '/channels/films/rights',
    (route) => route.fulfill({ contentType: 'application/json', body }),
  );
  await visit(open, '/channels/films');
  await page.getByRole('link', { name: 'Alien', exact: true }).click();
  await page.getByText('Your user token may not publish this entry.').waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('Forbidden (403)').waitFor();
  await page.getByRole('button', { name: 'Access', exact: true }).click();
  await page.getByText('Your token may not change who may do what.').waitFor();
  expect(await stored('/channels/films/entries/alien')).toMatchObject({ title: 'Alien' });
  expect((await give(['owner'])).status).toBe(200);
  await leave(open, [403]);
});

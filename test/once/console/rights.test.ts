// The console in a browser with tokens that may not do everything: what the service would refuse is not offered, and the reason stands
// there.
import { expect, test } from '@jest/globals';
import { expectGoodLooks, leave, suiteConsole, visit } from '../../support/console.ts';
import { buildMember } from '../../support/members.ts';

const { app, demo, enter, master } = await suiteConsole();
const place = { db: app.database.prisma, site: { id: demo.site } };
const { token: member } = await buildMember(app, place, []);

for (const scope of ['public', 'none']) {
  const acl = { read: 'public', create: scope, update: scope, delete: scope };
  const fields = [{ name: 'title', type: 'string', label: 'Title' }];
  const made = await master.rest('POST', '/channels', {
    body: { id: `for-${scope}`, name: `For ${scope}`, acl, fields },
  });
  if (made.status !== 201) throw new Error(made.text);
  await master.rest('POST', `/channels/for-${scope}/entries`, { body: { title: 'One', slug: 'one' } });
}
await master.rest('POST', '/channels/for-public/entries', {
  body: { title: 'Kept', slug: 'kept', _acl: { '*': { delete: false } } },
});

test.each([
  ['user', member],
  ['public', demo.tokens.public],
])('a %s token is offered the actions that it may do, and the reason for each that it may not', async (kind, token) => {
  const open = await enter({ token, ...(kind === 'user' && { site: demo.site }) });
  const { page } = open;
  const refused = `Your ${kind} token may not create entries in this channel.`;
  await visit(open, '/channels/for-none');
  await page.getByText(refused).waitFor();
  expect(await page.getByRole('button', { name: 'New entry' }).isDisabled()).toBe(true);
  expect(await page.getByRole('link', { name: 'New entry' }).count()).toBe(0);
  await visit(open, '/channels/for-none/new');
  await page.getByText(refused).waitFor();
  expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0);
  await visit(open, '/channels/for-none/entries/one');
  await page.getByText(`Your ${kind} token may not change this entry.`).waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Delete …' }).isDisabled()).toBe(true);
  await expectGoodLooks(open, `refused-${kind}`);
  // What it may do is there.
  await visit(open, '/channels/for-public');
  await page.getByRole('link', { name: 'New entry' }).waitFor();
  await visit(open, '/channels/for-public/entries/kept');
  await page.getByText(`Your ${kind} token may not delete this entry.`).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill(`Kept by ${kind}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await leave(open);
});

test('a form has the fields that the rules leave to its user: those to read alone are disabled, and who manages channels finds all in the table', async () => {
  const rules = (name: string, read: string[] | null, write: string[] | null): object => {
    return { name: name.toLowerCase(), type: 'string', label: name, read, write };
  };
  const fields = [
    { name: 'title', type: 'string', label: 'Title' },
    rules('Stamp', null, []),
    rules('Wish', [], ['members']),
    rules('Secret', [], []),
  ];
  expect((await master.rest('POST', '/channels', { body: { id: 'ruled', name: 'Ruled', fields } })).status).toBe(201);
  const body = { title: 'One', slug: 'one', stamp: 'ok', secret: 'gold' };
  expect((await master.rest('POST', '/channels/ruled/entries', { body })).status).toBe(201);
  const { token } = await buildMember(app, place, ['admin']);
  const open = await enter({ token, site: demo.site });
  const { page } = open;
  await visit(open, '/channels/ruled/entries/one');
  await page.getByRole('textbox', { name: 'Wish' }).fill('A hat');
  expect(await page.getByRole('textbox', { name: 'Stamp' }).inputValue()).toBe('ok');
  expect(await page.getByRole('textbox', { name: 'Stamp' }).isDisabled()).toBe(true);
  expect(await page.getByRole('textbox', { name: 'Secret' }).count()).toBe(0);
  await page.getByText('You may set it, and not read it.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await expectGoodLooks(open, 'ruled-form');
  await visit(open, '/channels/ruled');
  await page.getByRole('link', { name: 'Fields', exact: true }).click();
  await page.getByText('read by nobody; written by nobody').waitFor();
  await leave(open);
  expect((await master.rest('GET', '/channels/ruled/entries/one')).body).toMatchObject({ ...body, wish: 'A hat' });
});

test('a change of scopes removes the button for a new entry from an open screen', async () => {
  const open = await enter({ token: member, site: demo.site });
  const { page } = open;
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, '/channels/for-public');
  await page.getByRole('link', { name: 'New entry' }).waitFor();
  await master.rest('PATCH', '/channels/for-public', { body: { acl: { create: 'none' } } });
  await page.getByText('Your user token may not create entries in this channel.').waitFor();
  await leave(open);
  expect((await master.rest('GET', '/channels/for-public')).body).toMatchObject({ acl: { create: 'none' } });
});

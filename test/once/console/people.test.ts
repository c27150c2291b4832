// The people who work on a site, in the console: members and their roles, the roles of the site, who changed what, and why a member may.
import { expect, test } from '@jest/globals';
import { expectGoodLooks, expectSoon, leave, suiteConsole, visit } from '../../support/console.ts';
import { buildMember } from '../../support/members.ts';

const { app, demo, enter, master } = await suiteConsole();
const place = { db: app.database.prisma, site: { id: demo.site } };
const at = '/channels/articles/entries/notes-on-a-harbour-in-fog';

const eve = await buildMember(app, place, []);
const admin = await buildMember(app, place, ['admin']);
await app.database.prisma.user.update({ where: { id: eve.user }, data: { name: 'Eve' } });

const rolesOf = async (user: string): Promise<unknown> =>
  (await master.rest<{ roles: string[] }>('GET', `/members/${user}`)).body.roles;

test('an admin makes a role, gives it to a member, who may then, and takes all of it away', async () => {
  const open = await enter({ token: admin.token, site: demo.site });
  const { page } = open;
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('link', { name: 'Eve' }).waitFor();
  await expectGoodLooks(open, 'members');
  const tabs = page.getByRole('navigation', { name: 'People' });
  await tabs.getByRole('link', { name: 'Invitations' }).click();
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByLabel('Email').fill('hanne@example.com');
  await page.getByRole('checkbox', { name: 'Author' }).check();
  await expectGoodLooks(open, 'invite');
  await page.getByRole('button', { name: 'Make the link' }).click();
  await page.getByRole('dialog').getByText('/console/invitation#ew_link_').waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('cell', { name: 'hanne@example.com', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Revoke the invitation/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No invitation is open.').waitFor();
  await tabs.getByRole('link', { name: 'Roles' }).click();
  await page.getByRole('button', { name: 'New role' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Id', { exact: true }).fill('desk');
  await dialog.getByLabel('Name', { exact: true }).fill('Desk editor');
  await dialog.getByLabel('Right', { exact: true }).selectOption('publish');
  await dialog.getByLabel('Channel', { exact: true }).selectOption('articles');
  await dialog.getByRole('button', { name: 'Add the right' }).click();
  await dialog.getByText('Publish, and take back entries of Articles').waitFor();
  // Nobody gives what they do not have.
  await dialog.getByLabel('Right', { exact: true }).selectOption('*');
  expect(await dialog.getByRole('button', { name: 'Add the right' }).isDisabled()).toBe(true);
  await expectGoodLooks(open, 'role');
  await dialog.getByRole('button', { name: 'Make the role' }).click();
  await page.getByRole('heading', { name: 'Desk editor' }).waitFor();
  await expectGoodLooks(open, 'roles');
  await visit(open, `/members/${eve.user}`);
  expect(await page.getByRole('checkbox', { name: 'Owner' }).isDisabled()).toBe(true);
  await page.getByRole('checkbox', { name: 'Desk editor' }).check();
  await page.getByText('Publish, and take back entries of Articles').waitFor();
  await expectGoodLooks(open, 'member');
  await page.getByRole('button', { name: 'Save the roles' }).click();
  await expectSoon(() => rolesOf(eve.user), ['desk']);
  // What the service refuses is told with the right that is missing.
  const { token } = await buildMember(app, place, ['viewer']);
  const viewer = await enter({ token, site: demo.site });
  await visit(viewer, '/roles');
  await viewer.page.getByText('What is missing is the right').waitFor();
  expect(await viewer.page.getByRole('alert').textContent()).toContain('members');
  await leave(viewer, [403]);
  await visit(open, '/roles');
  await page.getByRole('button', { name: 'Delete Desk editor' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expectSoon(() => rolesOf(eve.user), []);
  await visit(open, `/members/${eve.user}`);
  await page.getByRole('button', { name: 'Remove from the site …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  expect((await master.rest('GET', `/members/${eve.user}`)).status).toBe(404);
  await leave(open);
});

test('who changed an entry is named, and why a member may is explained by the role', async () => {
  const robin = await buildMember(app, place, ['editor']);
  await app.database.prisma.user.update({ where: { id: robin.user }, data: { name: 'Robin Weaver' } });
  const open = await enter({ token: admin.token, site: demo.site });
  const { page } = open;
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, at);
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  expect((await robin.rest('PATCH', at, { body: { title: 'By Robin' } })).status).toBe(200);
  await page.getByText('It was Robin Weaver.').waitFor();
  await page.getByRole('button', { name: 'Load what is stored' }).click();
  await page.getByRole('heading', { name: 'By Robin', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Who sees it, and why?' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Explain for').selectOption('member');
  await dialog.getByLabel('The member').selectOption({ label: 'Robin Weaver' });
  await dialog.getByText('Robin Weaver sees this entry: the role editor has the right read').waitFor();
  await dialog.getByText('Robin Weaver may change it: the role editor has the right update.').waitFor();
  await dialog.getByText('Robin Weaver may not publish it and take it back: no role gives the right').waitFor();
  await expectGoodLooks(open, 'why-member');
  await leave(open);
});

// `entryway audit` lists who changed management data (docs/contract.md §13.6). What is in the log: test/both/audit/.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeCall } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import { workplace, type Workplace } from '../../support/workplace.ts';

let place: Workplace;
beforeAll(async () => {
  place = await workplace();
  // As the commands do, in one process.
  await place.inside(async (database) => {
    const call = (name: string, input: object): Promise<unknown> =>
      makeCall(name, input, { database, limits: readConfig({}).limits, now: new Date() });
    await call('createSite', { id: 'blog', name: 'blog' });
    await call('createSiteToken', { site: 'blog', kind: 'public', name: 'web', expiresAt: null });
    await call('createSite', { id: 'shop', name: 'shop' });
    const remove = async (): Promise<boolean> =>
      ((await call('deleteSite', { id: 'shop', confirm: 'shop' })) as { isDone: boolean }).isDone;
    while (!(await remove()));
  });
});
afterAll(() => place.remove());

interface ListedRecord {
  readonly site: string | null;
  readonly type: string;
  readonly subject: string;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly name: string | null };
  readonly before: unknown;
  readonly after: unknown;
}

test('`entryway audit --json` has all records, newest first, and those of a deleted site', async () => {
  const records = await place.json<ListedRecord[]>('audit --since 1h');
  expect(records.map(({ site, type, action }) => [site, type, action])).toEqual([
    [null, 'site', 'deleted'],
    ['blog', 'token', 'created'],
    ['blog', 'site', 'created'],
  ]);
  const [deleted, token] = records;
  expect(deleted).toMatchObject({ subject: 'shop', before: { name: 'shop' }, after: null });
  expect(token).toMatchObject({ actor: { kind: 'operator' }, before: null });
  expect(token?.actor.name).toMatch(/./);
  expect(token?.after).toEqual({ kind: 'public', name: 'web', expires_at: null, revoked_at: null });
  expect(await place.json<ListedRecord[]>('audit --site shop --limit 5')).toEqual([deleted]);
});

test('`entryway audit` prints a table, or that there are no records', async () => {
  const { stdout } = await place.run('audit --site blog --type token');
  expect(stdout).toMatch(
    /^AT +SITE +WHAT +SUBJECT +BY +CHANGED\n\S+Z +blog +token created +\S+ +operator \S+\n\nIn the /,
  );
  expect((await place.run('audit --subject nothing')).stdout).toMatch(/^There are no such records in the /);
});

test('`entryway audit` refuses invalid options', async () => {
  expect(await place.refusal('audit --since yesterday')).toMatch(/--since can't be "yesterday"/);
  expect(await place.refusal('audit --limit 0')).toMatch(/--limit can't be "0"/);
});

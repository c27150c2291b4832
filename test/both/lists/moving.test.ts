// Pages by cursor while other entries come and go: those that stay are each on one page, in order (docs/contract.md §5).
import { expect, test } from '@jest/globals';
import { type RestAnswer } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });

const fields = [
  { name: 'n', type: 'integer' as const, indexed: true },
  { name: 'title', type: 'string' as const },
];

const titles = ['b', 'B', 'a', 'Äb', '', undefined, '😀', `${'long '.repeat(70)}b`, `${'long '.repeat(70)}a`];

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** Whether a cursor may hold only the beginning of an entry's title. Where such an entry goes, pages may repeat
 * others (docs/contract.md §5). */
function isLong(number: number): boolean {
  return (titles[number % titles.length] ?? '').length > 100;
}

/** Entries that differ, and agree with some, in all that lists sort by; the same for the same number. */
function values(number: number): Parameters<typeof buildEntry>[2] {
  const title = titles[number % titles.length];
  return {
    createdAt: new Date(1_700_000_000_000 + (number % 3) * 1000),
    status: (['draft', 'scheduled', 'published'] as const)[number % 3] ?? 'draft',
    publishAt: number % 3 === 1 || number % 4 === 0 ? new Date(1_800_000_000_000 + (number % 2)) : null,
    owner: ['ada', null, 'Ada', null, 'bob'][number % 5] ?? null,
    acl: number % 2 === 0 ? {} : { [`c${number % 3}`]: { read: true } },
    data: { ...(number % 5 !== 0 && { n: number % 7 }), ...(title !== undefined && { title }) },
  };
}

const names = [
  ...['id', 'url', 'short_id', 'slug', 'channel', 'created_at', 'updated_at', 'title_field_value'],
  ...['_status', '_publish_at', '_owner', '_acl', 'n', 'title'],
];
const several = ['-title,n', '-n,title', '_status,-_publish_at,title_field_value', '-_owner,created_at', 'channel,-n'];

test.each([...names.flatMap((name) => [name, `-${name}`]), ...several])(
  'pages by cursor with sort=%s have each remaining entry once, in order, while others come and go',
  async (sort) => {
    const { db, channel, master } = await buildScene(app, { publishable: true, fields });
    const staying = new Set<string>();
    for (let at = 0; at < 40; at += 1) staying.add((await buildEntry(db, channel, values(at))).id);
    const readPage = async (cursor: string): Promise<Page> => {
      const at = cursor === '' ? '' : `&cursor=${cursor}`;
      const path = `/channels/articles/entries?sort=${sort}&per_page=5${at}`;
      const page: RestAnswer<{ id: string }[]> = await master.rest('GET', path);
      expect(page.status).toBe(200);
      return { ids: page.body.map(({ id }) => id), next: page.headers.get('x-next-cursor') };
    };
    /** Reads all pages. @param beside runs beside each page */
    const read = async (beside: () => Promise<void>): Promise<string[]> => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const reading: Promise<Page> = readPage(cursor);
        await beside();
        const page = await reading;
        found.push(...page.ids);
        cursor = page.next;
      }
      return found;
    };
    const before = (await read(() => Promise.resolve())).filter((id) => staying.has(id));
    let passing = 0;
    const meanwhile = await read(async () => {
      const { id } = await buildEntry(db, channel, values(passing));
      if (passing % 2 === 0 && !isLong(passing)) await master.rest('DELETE', `/channels/articles/entries/${id}`);
      passing += 1;
    });
    expect(new Set(meanwhile).size).toBe(meanwhile.length);
    expect(meanwhile.filter((id) => staying.has(id))).toEqual(before);
  },
);

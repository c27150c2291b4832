// Entries that refer to others: the two sites of sites.ts, whose first one has `notes` besides, which refer to its articles.
import { afterAll } from '@jest/globals';
import type { EntryRow } from '../../src/entries/row.ts';
import type { Channel } from '../../src/generated/prisma/client.ts';
import type { TestApp } from './app.ts';
import { buildChannel, buildEntry } from './build.ts';
import { buildSites, rights, type Sites } from './sites.ts';
import { startWatchedApp, type WatchedApp } from './statements.ts';

/** The articles, by slug: those of sites.ts, and one that is published a day from now. */
export const articleNames = ['adas', 'closed', 'draft', 'later', 'open'] as const;
export type ArticleName = (typeof articleNames)[number];

export interface Library extends Sites {
  readonly notes: Channel;
  readonly articles: Readonly<Record<ArticleName, EntryRow>>;
  /** A note that refers to all articles, in their order, and to one by itself. */
  readonly note: (author: ArticleName | null, links?: readonly string[]) => Promise<EntryRow>;
}

const open = { createScope: 'public', readScope: 'public', updateScope: 'public', deleteScope: 'public' } as const;

export const noteFields = [
  { name: 'title', type: 'string' },
  { name: 'author', type: 'reference', channel: 'articles' },
  { name: 'links', type: 'references', channel: 'articles' },
] as const;

/** The service on a fresh database whose statements are listed, with the library. */
export async function suiteLibrary(): Promise<{ app: WatchedApp; library: Library }> {
  const app = await startWatchedApp();
  afterAll(() => app.close());
  return { app, library: await buildLibrary(app) };
}

export async function buildLibrary(app: TestApp): Promise<Library> {
  const sites = await buildSites(app);
  const db = app.database.prisma;
  const { site, articles: channel } = sites.here;
  const later = await buildEntry(db, channel, {
    slug: 'later',
    data: { title: 'Title of later' },
    status: 'scheduled',
    publishAt: new Date(Date.now() + 86_400_000),
  });
  const articles = { ...sites.entries, later };
  const notes = await buildChannel(db, site.id, { id: 'notes', ...open, fields: [...noteFields] });
  const all = articleNames.map((name) => articles[name].id);
  const note: Library['note'] = (author, links = all) => {
    const data = { title: 'A note', links, ...(author !== null && { author: articles[author].id }) };
    return buildEntry(db, notes, { data });
  };
  return { ...sites, notes, articles, note };
}

/** Which articles a kind of caller may see, by hand. */
export function readsOf(kind: string): ArticleName[] {
  const reads = rights[kind]?.reads ?? [];
  // Management sees what is scheduled: nobody is kept from reading this one but by its time.
  return articleNames.filter((name) => (name === 'later' ? !kind.startsWith('public') : reads.includes(name)));
}

/** What stands for an article. */
export function stubOf({ id, slug }: EntryRow): Record<string, unknown> {
  return { id, channel: 'articles', slug, title_field_value: `Title of ${slug}` };
}

/** The kinds of callers of the first site that get in. */
export const insiders = ['public', 'public+ada', 'user', 'user+ada', 'master', 'master/acl', 'master+ada/acl'] as const;

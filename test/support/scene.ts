// Where a test takes place: the service that a file of tests shares, a site with a channel, and who may ask there.
import { afterAll } from '@jest/globals';
import type { Channel, PrismaClient } from '../../src/generated/prisma/client.ts';
import { startApp, withoutLooks, type TestApp } from './app.ts';
import { as, type Caller, type Credentials } from './as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser, type TestSite } from './build.ts';
import { buildSites, type Sites } from './sites.ts';
import { startWatchedApp, type WatchedApp } from './statements.ts';

/** The service on a fresh database, until the last test of the file: `const app = await suiteApp()`. */
export async function suiteApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp(environment);
  afterAll(() => app.close());
  return app;
}

/** The service on a fresh database whose statements are listed: those of requests alone. */
export async function suiteWatchedApp(): Promise<WatchedApp> {
  withoutLooks();
  const app = await startWatchedApp();
  afterAll(() => app.close());
  return app;
}

/** The service, with two sites that look alike and every kind of caller. */
export async function suiteSites(environment: Record<string, string> = {}): Promise<{ app: TestApp; sites: Sites }> {
  const app = await suiteApp(environment);
  return { app, sites: await buildSites(app) };
}

export interface Scene {
  readonly db: PrismaClient;
  readonly site: TestSite;
  readonly channel: Channel;
  /** Asks with the site's master token. */
  readonly master: Caller;
  /** Asks with the site's public token. */
  readonly visitor: Caller;
}

/** A new site with one channel: `articles`, unless it is given another id. */
export async function buildScene(app: TestApp, channel: Parameters<typeof buildChannel>[2] = {}): Promise<Scene> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  return {
    db,
    site,
    channel: await buildChannel(db, site.id, { id: 'articles', ...channel }),
    master: as(app, { token: site.master }),
    visitor: as(app, { token: site.public }),
  };
}

/** A scene whose channel holds the entry `one`. */
export async function buildOne(
  app: TestApp,
  entry: Parameters<typeof buildEntry>[2] = {},
  channel: Parameters<typeof buildChannel>[2] = {},
): Promise<Scene> {
  const scene = await buildScene(app, channel);
  await buildEntry(scene.db, scene.channel, { slug: 'one', ...entry });
  return scene;
}

export type CallerName =
  'public' | 'ada' | 'bob' | 'user' | 'user+ada' | 'user+bob' | 'master' | 'master+ada' | 'master+bob';

/** An anonymous visitor, bob and ada as they come with each kind of token, and what makes it check their access. */
export const checked = [
  { query: '', names: ['public', 'bob', 'ada'] },
  { query: '', names: ['user', 'user+bob', 'user+ada'] },
  { query: '?use_acl=true', names: ['master', 'master+bob', 'master+ada'] },
] as const;

/** Who may ask at a site: its tokens and a user's, with and without a session of ada, who has the role editor, or bob. */
export async function buildCallers({ db, site }: Pick<Scene, 'db' | 'site'>): Promise<Record<CallerName, Credentials>> {
  const { session: ada } = await buildCustomer(db, site.id, { id: 'ada', roles: ['editor'] });
  const { session: bob } = await buildCustomer(db, site.id, { id: 'bob' });
  const user = { token: (await buildUser(db, { memberOf: [site.id] })).token, site: site.id };
  return {
    public: { token: site.public },
    ada: { token: site.public, session: ada },
    bob: { token: site.public, session: bob },
    user,
    'user+ada': { ...user, session: ada },
    'user+bob': { ...user, session: bob },
    master: { token: site.master },
    'master+ada': { token: site.master, session: ada },
    'master+bob': { token: site.master, session: bob },
  };
}

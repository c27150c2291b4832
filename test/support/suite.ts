// What the tests of a file share, made before the first of them and closed behind the last: `const app = await suiteApp()`.
import { afterAll } from '@jest/globals';
import { startApp, type TestApp } from './app.ts';
import { buildSites, type Sites } from './sites.ts';
import { startWatchedApp, type WatchedApp } from './statements.ts';

/** The service on a fresh database. */
export async function suiteApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp(environment);
  afterAll(() => app.close());
  return app;
}

/** The service on a fresh database whose statements are listed: those of requests alone. */
export async function suiteWatchedApp(): Promise<WatchedApp> {
  const app = await startWatchedApp();
  afterAll(() => app.close());
  await app.pastFirstLook();
  return app;
}

/** The service, with two sites that look alike and every kind of caller. */
export async function suiteSites(environment: Record<string, string> = {}): Promise<{ app: TestApp; sites: Sites }> {
  const app = await suiteApp(environment);
  return { app, sites: await buildSites(app) };
}

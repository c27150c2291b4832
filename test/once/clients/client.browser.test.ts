// The client of clients/typescript on a page of another origin, in Chromium: the service lets it ask, and read the headers that
// it needs.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import typescript from 'typescript';
import type * as Package from '../../../clients/typescript/src/index.ts';
import { suiteBrowser } from '../../support/browser.ts';
import { buildCustomer } from '../../support/build.ts';
import { filmCount, suiteFilms } from './library.ts';

const { app, db, site } = await suiteFilms();
const browser: Browser = await suiteBrowser();
const sources = join(import.meta.dirname, '../../../clients/typescript/src');
let server: Server;
let origin: string;

/** The modules of the client as a browser loads them, by their paths. */
const modules = new Map<string, string>(
  readdirSync(sources).map((name) => {
    const compilerOptions = {
      module: typescript.ModuleKind.ESNext,
      target: typescript.ScriptTarget.ES2022,
      rewriteRelativeImportExtensions: true,
    };
    const { outputText } = typescript.transpileModule(readFileSync(join(sources, name), 'utf8'), { compilerOptions });
    return [`/${name.replace(/\.ts$/, '.js')}`, outputText] as const;
  }),
);

/** The page, which loads the client as its scripts find it. */
const html = `<!doctype html><title>A page</title>
<script type="module">import * as client from '/index.js'; globalThis.client = client;</script>`;

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const text = modules.get(url);
    const type = text === undefined ? 'text/html' : 'text/javascript';
    response.setHeader('Content-Type', `${type}; charset=utf-8`).end(text ?? html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Given {
  readonly url: string;
  readonly token: string;
  readonly master: string;
  readonly session: string;
}

/** What runs on the page. */
async function useClient({ url, token, master, session }: Given): Promise<Record<string, unknown>> {
  const { createClient, EntrywayError } = (globalThis as unknown as { client: typeof Package }).client;
  const films = createClient({ url, token }).channel('films');
  const all = await films.list({ sort: ['year'], pageSize: 3 }).all();
  const page = await films.list({ pageSize: 3 }).page();
  const editor = createClient({ url, token: master });
  const created = await editor.channel('films').create({ title: 'Alien', year: 1979 }, { idempotencyKey: 'page' });
  const updated = await editor.channel('films').update('alien', { year: 1980 }, { ifVersion: created._version });
  const refusal = await editor
    .channel('films')
    .update('alien', {}, { ifVersion: 1 })
    .catch((error: unknown) => error);
  const { cursor } = await editor.changes({ after: 'now' }).page();
  await editor.channel('films').delete('alien');
  const told: string[] = [];
  for await (const { type } of editor.changes({ after: cursor })) {
    told.push(type);
    if (type === 'entry.deleted') break;
  }
  const controller = new AbortController();
  const feed = createClient({ url, token }).changes({ after: 'now', signal: controller.signal });
  const next = (async () => {
    for await (const change of feed) return change;
    return null;
  })().catch((error: unknown) => error);
  setTimeout(() => controller.abort('over'), 100);
  const visitor = createClient({ url, token, session });
  await visitor.endSession();
  const ended = await visitor
    .channel('films')
    .count()
    .catch((error: unknown) => error);
  const code = (error: unknown): unknown => error instanceof EntrywayError && error.code;
  return {
    ...{ titles: all.length, total: page.total, hasNext: page.next !== null },
    ...{ versions: [created._version, updated._version], refusal: code(refusal), told },
    ...{ aborted: await next, ended: code(ended) },
  };
}

test('the client lists, writes, follows the feed and signs out from a page of another origin', async () => {
  const { session } = await buildCustomer(db, site.id);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(origin, { timeout: 60_000 });
    await page.waitForFunction(() => 'client' in globalThis, undefined, { timeout: 60_000 });
    const given = { url: app.url, token: site.public, master: site.master, session };
    expect(new URL(app.url).origin).not.toBe(origin);
    expect(await page.evaluate(useClient, given)).toEqual({
      ...{ titles: filmCount, total: filmCount, hasNext: true },
      ...{ versions: [1, 2], refusal: 'precondition_failed', told: ['entry.deleted'] },
      ...{ aborted: 'over', ended: 'unauthenticated' },
    });
  } finally {
    await context.close();
  }
});

test('the headers that the client reads are exposed to scripts of other origins', async () => {
  const answer = await fetch(`${app.url}/channels/films/entries`, {
    headers: { Authorization: `Bearer ${site.public}`, Origin: origin },
  });
  const exposed = (answer.headers.get('Access-Control-Expose-Headers') ?? '').split(/, ?/);
  const read = [...modules.values()]
    .flatMap((text) => [...text.matchAll(/headers\??\.get\('([^']+)'\)/g)])
    .map(([, name]) => name);
  expect(new Set(read).size).toBe(5);
  expect(exposed).toEqual(expect.arrayContaining(['Link', ...read]));
});

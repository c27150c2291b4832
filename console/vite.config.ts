// Builds the pages that browsers open (docs/contract.md §20) into dist/pages/: each folder here that has an index.html is one.
// `npm run build` calls it; by hand: npx vite build --config console/vite.config.ts
import { readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

/** The pages by name. src/browser/router.ts says at which path each of them is served. */
const pages = Object.fromEntries(
  readdirSync(root)
    .map((name) => [name, join(root, name, 'index.html')] as const)
    .filter(([, page]) => existsSync(page)),
);

export default defineConfig({
  root,
  // The paths of the files; src/browser/router.ts serves them.
  base: '/pages/',
  experimental: {
    // Relative to the page, which may be behind a proxy that adds a path: that of invitations is a step below the console. Files name
    // each other relative to themselves.
    renderBuiltUrl: (name, { hostType, hostId }) =>
      hostType === 'html' ? `${hostId.startsWith('invitation/') ? '../' : ''}pages/${name}` : { relative: true },
  },
  resolve: {
    alias: [{ find: /^prettier\/(plugins\/estree|parser-babel)$/, replacement: join(root, 'graphiql/jsonFormat.ts') }],
  },
  build: {
    outDir: join(root, '../dist/pages'),
    emptyOutDir: true,
    // The content security policy allows no data: URL for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What the licences of the packages ask for: their texts go with the files.
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 4_000,
    // How long each plugin took is told on slow machines alone, and concerns nobody who installs.
    rolldownOptions: { input: pages, checks: { moduleLevelDirective: false, bundlerTimings: false } },
  },
});

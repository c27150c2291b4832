// The sites of bench/citus.mjs: as many articles, in one site or spread over several, with the tokens of each.
import pg from 'pg';
import { mintToken } from '../dist/auth/tokens.js';
import { createSite, runCommand, startService } from '../scripts/scratchService.mjs';
import { createArticles, loadArticles, spreadArticles } from './content.mjs';
import { sendDocument } from './stage.mjs';

const channel = 'articles';
/** How many entries of each site are asked for. */
const askedOfSite = 2_000;

/** The environment of commands and services on a database. */
const environment = (url) => ({
  ...process.env,
  NODE_ENV: 'production',
  PORT: '0',
  LOG_LEVEL: 'warn',
  DATABASE_URL: url,
});

/** Runs work on a connection to a database, and ends it: tables are distributed while nobody else is connected. */
export async function withClient(url, work) {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The id of a server's first process, whose children are all others. */
export function findPostmaster(url) {
  return withClient(url, async (client) => {
    const { rows } = await client.query(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`);
    return rows[0].pid;
  });
}

/**
 * Migrates an empty database, and fills it.
 * @param settings how many `sites` there are, and how many `entries` they have together
 * @returns the sites: { id, tokens, ids }
 */
export async function fillSites(url, { sites, entries }) {
  const env = environment(url);
  const token = await createSite(env, 'bench');
  const master = await token('master');
  const service = await startService(env);
  try {
    await createArticles((query, variables) => sendDocument(service.url, master, query, variables), channel);
  } finally {
    await service.stop();
  }
  return withClient(url, async (client) => {
    await loadArticles(client, channel, entries);
    const ids = ['bench'];
    if (sites > 1) {
      await spreadArticles(client, channel, sites, Math.floor(entries / sites));
      ids.splice(0, 1, ...Array.from({ length: sites }, (_, at) => `tenant-${at + 1}`));
    }
    await client.query('VACUUM ANALYZE');
    return describeSites(client, ids);
  });
}

/** Distributes the tables of a database with the service's own command. */
export async function spreadSites(url) {
  await runCommand(environment(url), ['distribute']);
  await withClient(url, (client) => client.query('VACUUM ANALYZE'));
}

/** Makes the tokens of sites, and reads which entries they have. */
async function describeSites(client, ids) {
  const found = new Map(ids.map((id) => [id, { id, tokens: {}, ids: [] }]));
  for (const kind of ['master', 'public']) {
    const minted = ids.map(() => mintToken(kind));
    await client.query(
      `INSERT INTO tokens (id, kind, hash, site_id, created_at)
       SELECT gen_random_uuid(), $1::token_kind, t.hash, t.site, now() FROM unnest($2::bytea[], $3::text[]) AS t (hash, site)`,
      [kind, minted.map(({ hash }) => Buffer.from(hash)), ids],
    );
    for (const [at, id] of ids.entries()) found.get(id).tokens[kind] = minted[at].token;
  }
  const { rows } = await client.query('SELECT site_id, id FROM entries WHERE site_id = ANY($1)', [ids]);
  for (const { site_id: site, id } of rows) {
    const { ids: entries } = found.get(site);
    if (entries.length < askedOfSite) entries.push(id);
  }
  return [...found.values()];
}

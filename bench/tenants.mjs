// Measures whether many small sites behave like one large site: as many entries in one channel, and spread over sites of 100 entries.
// One request at a time, on PostgreSQL. See bench/README.md.
import { mintToken } from '../dist/auth/tokens.js';
import { readOptions } from '../scripts/options.mjs';
import { createArticles, loadArticles, newArticle, spreadArticles, withoutIndexes } from './content.mjs';
import { markdownTable, median, positive, show } from './figures.mjs';
import { openStage, runBenchmark } from './stage.mjs';

const help = `node bench/tenants.mjs [options]; npm run -s build comes first.
  --sites <n>     how many small sites there are; default: 10000
  --asked <n>     how many of them are asked; default: 200
  --rounds <n>    how often each of these is asked after a first time; default: 3`;
const { values: options } = readOptions(help, {
  sites: '10000',
  asked: '200',
  rounds: '3',
});

const channel = 'articles';
const perSite = 100;
const withoutTotal = { Prefer: 'count=none' };
const questions = [
  { name: 'first page with total', query: '' },
  { name: 'first page', query: '', headers: withoutTotal },
  { name: 'fetch by slug', query: (at) => `/article-${at}` },
  { name: 'indexed field: equality', query: (at) => `?year=${at}`, headers: withoutTotal },
  { name: 'indexed field: sort', query: '?sort=-year', headers: withoutTotal },
  { name: 'search for a rare word', query: (at) => `?q=quokka${at}` },
  { name: 'create', query: '', method: 'POST' },
];

await runBenchmark(main);

async function main() {
  const [sites, asked, rounds] = ['sites', 'asked', 'rounds'].map((name) => positive(options, name));
  if (asked > sites) throw new Error('--asked takes at most as many as there are sites.');
  const stage = await openStage();
  try {
    await createArticles(stage.ask, channel, { acl: { create: 'PUBLIC' } });
    await withoutIndexes(stage.client, async () => {
      await loadArticles(stage.client, channel, sites * perSite);
      await spreadArticles(stage.client, channel, sites, perSite);
    });
    await stage.client.query('VACUUM ANALYZE');
    const tokens = await mintTokens(stage.client, asked, sites);
    const rows = [];
    for (const question of questions) {
      const small = [];
      const first = [];
      const large = [];
      for (let round = 0; round <= rounds; round += 1) {
        for (const { token, number } of tokens) {
          const took = await time(stage, question, token, number);
          (round === 0 ? first : small).push(took);
          // The rounds of both take turns, and in both each entry is asked for the first time in the first one.
          const other = await time(stage, question, stage.tokens.public, number);
          if (round > 0) large.push(other);
        }
      }
      const [one, many, cold] = [large, small, first].map(median);
      rows.push([question.name, show(one, 1), show(many, 1), show(many / one, 1), show(cold, 1)]);
    }
    console.log(
      `Medians in milliseconds: of one site of ${show(sites * perSite)} entries, and of ${show(asked)} of ${show(sites)} sites`,
    );
    console.log(`of ${perSite}, beside it in the same tables; the last column has the first request of each.\n`);
    console.log(markdownTable(['request', 'one site', 'many sites', 'ratio', 'first'], rows));
  } finally {
    await stage.close();
  }
}

/** Public tokens of some sites that lie apart. @returns { token, number }: the number of an entry of each */
async function mintTokens(client, asked, sites) {
  const minted = [];
  for (let at = 0; at < asked; at += 1) {
    const { token, hash } = mintToken('public');
    const site = `tenant-${1 + Math.floor((at * sites) / asked)}`;
    await client.query(
      `INSERT INTO tokens (id, kind, hash, site_id, created_at) VALUES (gen_random_uuid(), 'public', $1, $2, now())`,
      [Buffer.from(hash), site],
    );
    minted.push({ token, number: at % perSite });
  }
  return minted;
}

/** Sends a request. @returns how long it took, in milliseconds @throws Error if it failed */
async function time({ service }, { query, headers = {}, method = 'GET' }, token, number) {
  const path = `/channels/${channel}/entries${typeof query === 'string' ? query : query(number)}`;
  const body = method === 'POST' ? JSON.stringify(newArticle()) : undefined;
  const begun = performance.now();
  const answer = await fetch(service.url + path, {
    ...{ method, body },
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }), ...headers },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return performance.now() - begun;
}

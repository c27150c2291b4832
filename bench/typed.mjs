// Measures the schema of a site (docs/contract.md §11.2): a typed list of 30 beside the static one, the first request after a
// change of a channel, and what a schema of 200 channels of 100 fields takes to build and to keep.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { readOptions } from '../scripts/options.mjs';
import { createArticles, loadArticles } from './content.mjs';
import { createMany } from './manyChannels.mjs';
import { markdownTable, median, show } from './figures.mjs';
import { openStage, runBenchmark } from './stage.mjs';
import { cpuTime } from './usage.mjs';

const help = 'Usage: node bench/typed.mjs [--rounds n] [--seconds n]; npm run -s build comes first.';
const { values: options } = readOptions(help, { rounds: '5', seconds: '3' });
const rounds = Number(options.rounds);
const duration = Number(options.seconds);

/** A large site. */
const many = { channels: 200, fields: 100 };

const members = 'id shortId slug url createdAt updatedAt titleFieldValue status publishAt';
const documents = {
  '/graphql': (id) => `{ entries(channel: "${id}", first: 30) { nodes { ${members} fields } } }`,
  '/graphql/site': (_id, fields) => `{ articles(first: 30) { nodes { ${members} ${fields} } } }`,
};

/** Requests a second, and the CPU time of the service for each in microseconds. */
async function measure({ url, pid }, path, query, token) {
  const before = cpuTime(pid);
  const { requests, non2xx } = await autocannon({
    url: url + path,
    ...{ method: 'POST', connections: 16, duration, body: JSON.stringify({ query }) },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  if (non2xx > 0) throw new Error(`${path}: ${non2xx} requests failed.`);
  return { rate: requests.average, cpu: (cpuTime(pid) - before) / requests.total };
}

async function askOnce(url, path, query, token) {
  const begun = performance.now();
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return performance.now() - begun;
}

/** How long the first request takes after each of so many changes of a channel, in milliseconds. */
async function timeFirst(ask, askTyped, count) {
  const times = [];
  for (let at = 0; at < count; at += 1) {
    await ask('mutation ($n: String) { updateChannel(id: "articles", input: { name: $n }) { id } }', { n: `A${at}` });
    await sleep(100);
    times.push(await askTyped());
  }
  return times;
}

async function main() {
  const { service, tokens, ask, client, close } = await openStage();
  try {
    await createArticles(ask, 'articles');
    await loadArticles(client, 'articles', 2_000);
    const { rows } = await client.query(`SELECT fields FROM channels WHERE id = 'articles'`);
    const camel = (name) => name.replace(/_([a-z0-9])/g, (_all, letter) => letter.toUpperCase());
    const fields = rows[0].fields.map(({ name }) => camel(name)).join(' ');
    const found = Object.fromEntries(Object.keys(documents).map((path) => [path, []]));
    const ratios = [];
    for (let round = 0; round <= rounds; round += 1) {
      const paths = Object.keys(documents);
      if (round % 2 === 1) paths.reverse();
      const rates = {};
      for (const path of paths) {
        rates[path] = await measure(
          { url: service.url, pid: service.child.pid },
          path,
          documents[path]('articles', fields),
          tokens.public,
        );
      }
      // The first round warms up.
      if (round === 0) continue;
      for (const path of paths) found[path].push(rates[path]);
      ratios.push(rates['/graphql'].cpu / rates['/graphql/site'].cpu);
    }
    const askTyped = () =>
      askOnce(service.url, '/graphql/site', documents['/graphql/site']('articles', fields), tokens.public);
    const first = await timeFirst(ask, askTyped, 10);
    await createMany(ask, many.channels, many.fields);
    const begun = await askTyped();
    const firstOfMany = await timeFirst(ask, askTyped, 5);
    const rates = Object.entries(found).map(([path, all]) => {
      return [path, show(median(all.map(({ rate }) => rate))), show(median(all.map(({ cpu }) => cpu)))];
    });
    console.log(markdownTable(['list of 30', 'requests/s', 'µs of CPU'], rates));
    console.log(
      `ratio: ${show(median(ratios), 2)} (${show(Math.min(...ratios), 2)} to ${show(Math.max(...ratios), 2)})`,
    );
    console.log(`first request after a change of the channel: ${show(median(first), 1)} ms`);
    console.log(
      `of ${many.channels + 1} channels, of which ${many.channels} have ${many.fields} fields: the first of all ` +
        `${show(begun, 1)} ms, after a change of one of them ${show(median(firstOfMany), 1)} ms`,
    );
  } finally {
    await close();
  }
  const script = join(import.meta.dirname, 'typedSchema.mjs');
  spawnSync(process.execPath, ['--expose-gc', script], { stdio: 'inherit' });
}

await runBenchmark(main);

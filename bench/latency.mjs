// Measures how long small fetches wait while one request does the most that the limits allow: a bulk of 500, a body of 1 MiB, a
// GraphQL document of the highest cost. See bench/README.md.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../scripts/options.mjs';
import { articleId, createArticles, loadArticles, newArticle, withoutIndexes } from './content.mjs';
import { markdownTable, positive, quantile, show } from './figures.mjs';
import { openStage, runBenchmark } from './stage.mjs';

const help = `node bench/latency.mjs [options]; npm run -s build comes first.
  --entries <n>   entries of the channel; default: 20000
  --rounds <n>    how often each is measured, with the heavy requests and without; default: 5
  --seconds <n>   how long a round takes on each side; default: 3`;
const { values: options } = readOptions(help, {
  entries: '20000',
  rounds: '5',
  seconds: '3',
});

/** A fetch is sent after so many milliseconds, whether the ones before it were answered or not. */
const pause = 10;
const channel = 'articles';
const entries = `/channels/${channel}/entries`;
/** Where large entries go: lists of the other channel have to be small enough to be answered. */
const largeChannel = 'books';
const agent = new Agent({ keepAlive: true });

await runBenchmark(main);

async function main() {
  const count = positive(options, 'entries');
  const rounds = positive(options, 'rounds');
  const seconds = positive(options, 'seconds');
  const stage = await openStage();
  try {
    for (const id of [channel, largeChannel]) await createArticles(stage.ask, id);
    await withoutIndexes(stage.client, () => loadArticles(stage.client, channel, count));
    await stage.client.query('VACUUM ANALYZE');
    const heavy = {
      'a bulk of 500': bulk,
      'an entry of 1 MiB': large,
      'a GraphQL document of the highest cost': await findDearest(stage),
    };
    const rows = [];
    for (const [name, make] of Object.entries(heavy)) {
      const [alone, beside, took] = [[], [], []];
      for (let round = 0; round < rounds; round += 1) {
        alone.push(...(await fetchFor(stage, count, seconds)));
        const state = { isOver: false };
        const fetching = fetchFor(stage, count, seconds).finally(() => (state.isOver = true));
        const [times] = await Promise.all([fetching, repeat(stage, make, state, took)]);
        beside.push(...times);
      }
      const ms = (times, part) => show(quantile(times, part), 1);
      const more = quantile(beside, 0.99) - quantile(alone, 0.99);
      const waits = [ms(alone, 0.5), ms(alone, 0.99), ms(beside, 0.5), ms(beside, 0.99), show(more, 1)];
      rows.push([name, String(took.length), ms(took, 0.5), ...waits]);
    }
    const head = [
      'beside',
      'requests',
      'p50 of them',
      'p50 alone',
      'p99 alone',
      'p50 beside',
      'p99 beside',
      'p99 more',
    ];
    console.log(`Milliseconds; a fetch each ${pause} ms, for ${rounds} times ${seconds} s.\n`);
    console.log(markdownTable(head, rows));
  } finally {
    agent.destroy();
    await stage.close();
  }
}

/** Sends heavy requests, one after the other, until it is over. */
async function repeat(stage, make, state, took) {
  while (!state.isOver) {
    const begun = performance.now();
    await send(stage, make());
    took.push(performance.now() - begun);
  }
}

/** Sends small fetches for some seconds. @returns how long each took, in milliseconds */
async function fetchFor(stage, count, seconds) {
  const fetches = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const begun = performance.now();
    const path = `${entries}/${articleId(channel, Math.floor(Math.random() * count))}`;
    fetches.push(send(stage, { path, token: stage.tokens.public }).then(() => performance.now() - begun));
    await sleep(pause);
  }
  return Promise.all(fetches);
}

/** Sends a request, and reads its answer to the end. @throws Error if it failed */
function send({ service, tokens }, { method = 'GET', path, body, token = tokens.master }) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(service.url + path, { method, headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => (text += part));
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode < 300 && !text.startsWith('{"errors"')) resolve(text);
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function bulk() {
  const operations = Array.from({ length: 500 }, () => ({ op: 'create', data: newArticle() }));
  return { method: 'POST', path: `${entries}/bulk`, body: JSON.stringify({ operations }) };
}

function large() {
  const words = Array.from({ length: 100_000 }, () => Math.random().toString(36).slice(2, 11));
  const article = { ...newArticle(), body: '' };
  const room = 1_048_576 - 1_000 - Buffer.byteLength(JSON.stringify(article));
  const path = `/channels/${largeChannel}/entries`;
  return { method: 'POST', path, body: JSON.stringify({ ...article, body: words.join(' ').slice(0, room) }) };
}

/** Finds how many pages of 250 a document may ask for, each of other entries. @returns what makes such a request */
async function findDearest(stage) {
  const make = (pages) => {
    const lists = Array.from({ length: pages }, (_, at) => {
      return `l${at}: entries(channel: "${channel}", first: 100, where: { field: "year", op: GTE, value: ${at} })
        { nodes { id slug url createdAt updatedAt titleFieldValue status fields } }`;
    });
    return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: `{ ${lists.join('\n')} }` }) };
  };
  for (let pages = 30; pages > 0; pages -= 1) {
    const found = await send(stage, make(pages)).catch(() => null);
    if (found !== null) return () => make(pages);
  }
  throw new Error('no document of lists is admitted');
}

// `npm run bench:sizes`: whether a request takes as long in a large channel as in a small one, for public and master tokens;
// what kinds of lists cost; and what it costs that a caller may see few entries of many. One request at a time, on PostgreSQL.
// See bench/README.md.
import { createArticles, loadArticles, newArticle, withoutIndexes } from './content.mjs';
import { readOptions } from '../scripts/options.mjs';
import { markdownTable, median, positive, show } from './figures.mjs';
import { customers, lists, questions, seen, sparseChannels, sparseLists, withoutTotal } from './sizeQuestions.mjs';
import { openStage, runBenchmark } from './stage.mjs';

const help = `npm run bench:sizes -- [options]
  --sizes <n,…>   entries of the channels; default: 1000,100000,1000000
  --sparse <n>    entries of the channels of which a caller may see 50; 0: none; default: 100000
  --rounds <n>    how often each request is timed; default: 15
  --only <part>   the rows whose name has this text
  --json          prints one JSON document instead of tables`;

const { values: options } = readOptions(help, {
  sizes: '1000,100000,1000000',
  sparse: '100000',
  rounds: '15',
  only: '',
  json: false,
});

/** Of two pages, at least. */
const smallestSize = 60;
const isWanted = ({ name }) => name.includes(options.only);

await runBenchmark(main);

async function main() {
  const rounds = positive(options, 'rounds');
  const sizes = options.sizes.split(',').map(Number);
  if (!sizes.every((size) => size >= smallestSize)) throw new Error(`--sizes takes numbers from ${smallestSize} on.`);
  const sparse = Number(options.sparse);
  const stage = await openStage();
  try {
    const channels = sizes.map((size) => ({ id: `articles-${size}`, size }));
    await fill(stage, channels, sparse);
    for (const channel of channels) {
      channel.newest = await findCursor(stage, channel, '');
      channel.sorted = await findCursor(stage, channel, 'sort=-year&');
    }
    const flat = await measureSizes(stage, channels, rounds);
    const few = sparse > 0 ? await measureSparse(stage, rounds) : [];
    if (options.json) console.log(JSON.stringify({ settings: { sizes, sparse, rounds }, flat, sparse: few }, null, 2));
    else print({ sizes, sparse, rounds }, flat, few);
  } finally {
    await stage.close();
  }
}

async function fill({ client, ask }, channels, sparse) {
  const begun = performance.now();
  const anyoneCreates = { acl: { create: 'PUBLIC' } };
  for (const { id } of channels) await createArticles(ask, id, anyoneCreates);
  const few = sparse > 0 ? sparseChannels : [];
  for (const { id, settings } of few) await createArticles(ask, id, settings);
  await withoutIndexes(client, async () => {
    for (const { id, size } of channels) await loadArticles(client, id, size);
    for (const { id, members } of few) await loadArticles(client, id, sparse, members?.(Math.floor(sparse / seen)));
  });
  await client.query('VACUUM ANALYZE');
  console.error(`Loaded in ${show((performance.now() - begun) / 1000)} s`);
}

/** The cursor behind 99 pages of 30 entries, or behind all but the last page; it is made in larger steps. */
async function findCursor(stage, { id, size }, query) {
  let cursor = '';
  for (let left = Math.min(99 * 30, size - 30); left > 0; left -= 250) {
    const path = `/channels/${id}/entries?${query}per_page=${Math.min(left, 250)}${cursor && `&cursor=${cursor}`}`;
    const answer = await send(stage, { path, token: stage.tokens.public, headers: withoutTotal });
    cursor = answer.headers.get('x-next-cursor');
  }
  return cursor;
}

/** @returns for each question and caller { name, caller, times }: the median for each channel, in milliseconds */
async function measureSizes(stage, channels, rounds) {
  const asked = [
    ...['public', 'master'].flatMap((caller) => questions.map((question) => ({ ...question, caller }))),
    ...lists.map((list) => ({ ...list, caller: 'public' })),
  ];
  const measured = [];
  for (const { path, caller, name, ...rest } of asked.filter(isWanted)) {
    const request = (channel) => ({
      ...rest,
      path: `/channels/${channel.id}${path(channel.size, channel)}`,
      token: stage.tokens[caller],
      body: rest.method === 'POST' ? newArticle() : undefined,
    });
    const requests = channels.map((channel) => () => request(channel));
    measured.push({ name, caller, times: await time(stage, requests, rounds) });
  }
  return measured;
}

/** @returns for each list { name, times }: the median of a page, and of a page with its total */
async function measureSparse(stage, rounds) {
  const sessions = await signIn(stage);
  const wanted = sparseLists.filter(({ name }) => name === 'plain' || isWanted({ name }));
  const requests = wanted.flatMap(({ channel, customer }) => {
    const headers = customer === undefined ? {} : { 'Session-Token': sessions[customer] };
    const request = { path: `/channels/${channel}/entries`, token: stage.tokens.public, least: Math.min(seen, 30) };
    return [() => ({ ...request, headers: { ...headers, ...withoutTotal } }), () => ({ ...request, headers })];
  });
  const times = await time(stage, requests, rounds);
  return wanted.map(({ name }, at) => ({ name, times: times.slice(2 * at, 2 * at + 2) }));
}

/** The session tokens of the customers, by their ids. */
async function signIn({ ask }) {
  const sessions = {};
  for (const [id, roles] of Object.entries(customers)) {
    await ask('mutation ($input: CustomerInput!) { createCustomer(input: $input) { id } }', { input: { id, roles } });
    const { createSession } = await ask('mutation ($id: ID!) { createSession(customer: $id) { token } }', { id });
    sessions[id] = createSession.token;
  }
  return sessions;
}

/** The median times of some requests in milliseconds, taken in turns after three rounds that warm up. */
async function time(stage, requests, rounds) {
  const times = requests.map(() => []);
  for (let round = -3; round < rounds; round += 1) {
    for (const [at, request] of requests.entries()) {
      const made = request();
      const begun = performance.now();
      await send(stage, made);
      if (round >= 0) times[at].push(performance.now() - begun);
    }
  }
  return times.map(median);
}

/**
 * Sends a request, and reads its answer.
 * @param least how many entries the answer has to hold, if it is a list
 * @throws Error if it fails
 */
async function send({ service }, { path, token, method = 'GET', headers = {}, body, expected = 200, least = 1 }) {
  const answer = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  const found = text.startsWith('[') ? JSON.parse(text).length : least;
  if (answer.status === expected && found >= least) return answer;
  throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
}

function print({ sizes, sparse, rounds }, flat, few) {
  const [, ...larger] = sizes;
  console.log(`\nMedians of ${rounds} rounds in milliseconds, and their ratios to the smallest channel.\n`);
  console.log(
    markdownTable(
      ['request', 'caller', ...sizes.map((size) => show(size)), ...larger.map((size) => `ratio of ${show(size)}`)],
      flat.map(({ name, caller, times: [smallest, ...others] }) => [
        ...[name, caller, show(smallest, 1), ...others.map((each) => show(each, 1))],
        ...others.map((each) => show(each / smallest, 1)),
      ]),
    ),
  );
  if (few.length === 0) return;
  const [{ times: plain }] = few;
  console.log(`\nChannels of ${show(sparse)} entries, and the ratios to the plain one.\n`);
  console.log(
    markdownTable(
      ['list', 'page', 'ratio', 'with total', 'ratio'],
      few.map(({ name, times }) => [name, ...times.flatMap((each, at) => [show(each, 1), show(each / plain[at], 1)])]),
    ),
  );
}

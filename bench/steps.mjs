// Measures where the time of a request goes: the processor time of requests that end at different places on their way, each of
// which does a little more than the one before it. See docs/performance.md.
import autocannon from 'autocannon';
import { readOptions } from '../scripts/options.mjs';
import { cells, channel } from './cells.mjs';
import { createArticles, loadArticles, withoutIndexes } from './content.mjs';
import { markdownTable, median, positive, show } from './figures.mjs';
import { openStage, runBenchmark } from './stage.mjs';
import { cpuTime, cpuTimeWithChildren } from './usage.mjs';

const help = `node bench/steps.mjs [options]; npm run -s build comes first.
  --entries <n>   entries of the channel; default: 20000
  --rounds <n>    how often each request is measured; default: 5
  --amount <n>    how many of them are sent in a round; default: 4000
  --only <part>   the requests whose name has this text`;
const { values: options } = readOptions(help, {
  entries: '20000',
  rounds: '5',
  amount: '4000',
  only: '',
});

const entriesPath = `/channels/${channel}/entries`;
const get = (path, token, headers = {}) => ({
  path,
  headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers },
});
const withoutTotal = { Prefer: 'count=none' };
const ask = (query, token) => ({
  ...{ method: 'POST', path: '/graphql', body: JSON.stringify({ query }) },
  headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
});
const asCell = (name) => {
  const { request } = cells.find((cell) => cell.name === name);
  return (entries, tokens) => request({ entries, tokens });
};

/** What is asked, and the status of its answers. */
const all = [
  ['`/livez`', 200, () => get('/livez')],
  ['a fetch without a token', 401, () => get(`${entriesPath}/article-1`)],
  ['a list with `page=0`', 400, (_, tokens) => get(`${entriesPath}?page=0`, tokens.public)],
  ['a fetch of a name that no entry can have', 404, (_, tokens) => get(`${entriesPath}/~`, tokens.public)],
  ['a fetch', 200, asCell('fetch')],
  ['a list of one', 200, (_, tokens) => get(`${entriesPath}?per_page=1`, tokens.public, withoutTotal)],
  ['a list of 30', 200, asCell('list')],
  ['a list of 30 with its total', 200, asCell('list+total')],
  ['GraphQL: `{ __typename }`', 200, (_, tokens) => ask('{ __typename }', tokens.public)],
  ['GraphQL: a fetch', 200, asCell('graphql-fetch')],
  [
    'GraphQL: a list of one',
    200,
    (_, tokens) => ask(`{ entries(channel: "${channel}", first: 1) { nodes { id } } }`, tokens.public),
  ],
  ['GraphQL: a list of 30', 200, asCell('graphql-list')],
  ['a create with an invalid value', 422, (entries, tokens) => invalid(asCell('create')(entries, tokens))],
  ['a create', 201, asCell('create')],
  ['GraphQL: a create', 200, asCell('graphql-create')],
];

const steps = all.filter(([name]) => name.includes(options.only));

/** The request with a value that its field cannot have. */
function invalid({ body, ...rest }) {
  return { ...rest, body: JSON.stringify({ ...JSON.parse(body), year: 'none' }) };
}

await runBenchmark(main);

async function main() {
  const [entries, rounds, amount] = ['entries', 'rounds', 'amount'].map((name) => positive(options, name));
  const stage = await openStage();
  try {
    await createArticles(stage.ask, channel);
    await withoutIndexes(stage.client, () => loadArticles(stage.client, channel, entries));
    await stage.client.query('VACUUM ANALYZE');
    const figures = steps.map(() => ({ service: [], postgresql: [] }));
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [at, step] of steps.entries()) {
        const { service, postgresql } = await measure(stage, step, entries, amount);
        if (round === 0) continue;
        figures[at].service.push(service);
        figures[at].postgresql.push(postgresql);
      }
    }
    const rows = steps.map(([name], at) => {
      const { service, postgresql } = figures[at];
      return [
        name,
        show(median(service)),
        `${show(Math.min(...service))}–${show(Math.max(...service))}`,
        show(median(postgresql)),
      ];
    });
    console.log(`Microseconds of CPU time a request; medians of ${rounds} rounds of ${show(amount)}.\n`);
    console.log(markdownTable(['request', 'service', 'of the rounds', 'PostgreSQL'], rows));
  } finally {
    await stage.close();
  }
}

/** @returns { service, postgresql }: the CPU time of a request in microseconds @throws Error if an answer has another status */
async function measure({ service, tokens, postmaster }, [name, status, make], entries, amount) {
  const used = () => [cpuTime(service.child.pid), cpuTimeWithChildren(postmaster)];
  const before = used();
  const { statusCodeStats } = await autocannon({
    // It sees that all are answered only when it samples: each second, if it is not told otherwise.
    ...{ url: service.url, connections: 16, amount, sampleInt: 100 },
    requests: [{ setupRequest: (defaults) => ({ ...defaults, ...make(entries, tokens) }) }],
  });
  const after = used();
  const others = Object.keys(statusCodeStats).filter((code) => Number(code) !== status);
  if (others.length > 0) throw new Error(`${name}: answered with ${others.join()}, not ${status}.`);
  return { service: (after[0] - before[0]) / amount, postgresql: (after[1] - before[1]) / amount };
}

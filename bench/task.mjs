// A task that another system publishes its figures of: 100,000 creates under access control with 64 of them in flight, then a
// million reads by id. By one process, by two workers on PostgreSQL, and on the embedded database: `npm run -s build` comes first.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../scripts/options.mjs';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { createSite, startService } from '../scripts/scratchService.mjs';
import { markdownTable, positive, show } from './figures.mjs';
import { closeOnSignals, findPostmasterAt, runBenchmark, sendDocument, usual } from './stage.mjs';
import { cpuTimeWithChildren } from './usage.mjs';

const help = `node bench/task.mjs [options]; npm run -s build comes first.
  --creates <n>  default: 100000
  --reads <n>    default: 1000000
  --only <part>  the setups whose name has this text: one process, two workers, embedded`;
const { values: options } = readOptions(help, { creates: '100000', reads: '1000000', only: '' });

const inFlight = 64;
const channel = 'messages';
const agent = new Agent({ keepAlive: true, maxSockets: inFlight });

/** The setups, and the variables of each. */
const setups = {
  'one process': { environment: {}, isEmbedded: false },
  'two workers': { environment: { WORKERS: '2', DATABASE_POOL: '20' }, isEmbedded: false },
  embedded: { environment: {}, isEmbedded: true },
};

await runBenchmark(async () => {
  const amounts = { creates: positive(options, 'creates'), reads: positive(options, 'reads') };
  const rows = [];
  for (const [name, setup] of Object.entries(setups).filter(([name]) => name.includes(options.only))) {
    const { creates, reads } = await run(setup, amounts);
    for (const [what, { seconds, amount, cpu }] of Object.entries({ creates, reads }))
      rows.push([`${name}: ${what}`, show(seconds, 1), show(amount / seconds), show(cpu / amount)]);
  }
  console.log(`${show(amounts.creates)} creates and ${show(amounts.reads)} reads, ${inFlight} in flight.\n`);
  console.log(markdownTable(['', 'seconds', 'a second', 'µs of all processors for each'], rows));
});

async function run({ environment, isEmbedded }, { creates, reads }) {
  const directory = mkdtempSync(join(tmpdir(), 'entryway-task-'));
  const server = isEmbedded ? null : await startServer(findBinaries());
  const closing = [() => rmSync(directory, { recursive: true, force: true }), () => server?.stop()];
  const close = async () => {
    while (closing.length > 0) await closing.pop()();
  };
  closeOnSignals(close);
  try {
    const env = { ...process.env, ...usual, ...environment, DATABASE_URL: server?.url ?? '', DATA_DIR: directory };
    const token = await createSite(env, 'task');
    const tokens = { master: await token('master'), public: await token('public') };
    const service = await startService(env);
    closing.push(() => service.stop());
    const headers = await signIn(service.url, tokens);
    // The processes of PostgreSQL are children of one, as are workers.
    const pids = [service.child.pid, ...(server ? [await findPostmasterAt(server.url)] : [])];
    const ids = [];
    const path = `/channels/${channel}/entries`;
    const create = async (place) => {
      const body = JSON.stringify({ text: `A message of usual length, the ${place}th of all of them.`, room: 'lobby' });
      const answer = await exchange(service.url + path, { method: 'POST', headers }, body);
      // The id is the first member of an answer.
      ids.push(answer.slice('{"id":"'.length).slice(0, 36));
    };
    const readAny = () => exchange(`${service.url}${path}/${ids[Math.floor(Math.random() * ids.length)]}`, { headers });
    const created = await measure(pids, creates, create);
    const read = await measure(pids, reads, readAny);
    return { creates: created, reads: read };
  } finally {
    await close();
  }
}

/** Makes a channel in which customers create and read, and a customer. @returns the headers of the customer's requests */
async function signIn(url, tokens) {
  const ask = (query, variables) => sendDocument(url, tokens.master, query, variables);
  const input = {
    ...{ id: channel, titleField: 'text', acl: { create: 'SHARED', read: 'SHARED' } },
    fields: [
      { name: 'text', type: 'STRING', required: true },
      { name: 'room', type: 'STRING' },
    ],
  };
  await ask('mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }', { input });
  await ask('mutation { createCustomer(input: { id: "ann" }) { id } }');
  const { createSession } = await ask('mutation { createSession(customer: "ann") { token } }');
  return {
    Authorization: `Bearer ${tokens.public}`,
    'Session-Token': createSession.token,
    'Content-Type': 'application/json',
  };
}

/** Sends a request. @returns the text of its answer @throws Error unless it succeeds */
function exchange(url, { method = 'GET', headers }, body = '') {
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => (text += part));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode < 300) resolve(text);
        else reject(new Error(`${method} ${url}: ${response.statusCode}: ${text}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Does something so often, as many times at once as may be in flight. @returns { seconds, amount, cpu }: microseconds of all processes */
async function measure(pids, amount, act) {
  const used = () => pids.reduce((sum, pid) => sum + cpuTimeWithChildren(pid), 0);
  const before = used();
  const begun = performance.now();
  let next = 0;
  const work = async () => {
    while (next < amount) await act((next += 1));
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return { seconds: (performance.now() - begun) / 1000, amount, cpu: used() - before };
}

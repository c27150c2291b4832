// Streams beside writes: what others wait for, and what the service takes, while many readers are told of some writes a second.
import { setTimeout as sleep } from 'node:timers/promises';
import { openReaders, streamHead } from '../scripts/streamReaders.mjs';
import { quantile } from './figures.mjs';
import { cpuTime, memory } from './usage.mjs';

const fetchPause = 25;
const subscription = JSON.stringify({
  query: 'subscription { changes(after: "now") { cursor type entry { slug titleFieldValue fields } } }',
});

/** Who reads, by name: what each sends, and whether the writes are hidden from them. */
const readings = {
  'one public token': { path: '/changes?after=now' },
  'one public token, with entries': { path: '/changes?after=now&include=entry' },
  'one public token, hidden writes': { path: '/changes?after=now', isHidden: true },
  'customers of their own': { path: '/changes?after=now', hasCustomers: true },
  'customers of their own, hidden writes': { path: '/changes?after=now', hasCustomers: true, isHidden: true },
  subscriptions: { path: '/graphql/stream', body: subscription },
};
export const readingNames = Object.keys(readings);

/** Prepares the site: a channel that everybody sees, one that nobody does, an entry, and customers who are signed in. */
export async function prepareBeside({ ask }, customers) {
  await ask('mutation { createChannel(input: { id: "shown", fields: [{ name: "title", type: STRING }] }) { id } }');
  await ask('mutation { createChannel(input: { id: "hidden", acl: { read: NONE } }) { id } }');
  const create =
    'mutation ($body: String!) { createEntry(channel: "shown", input: { fields: { title: $body } }) { id } }';
  await ask(create.replace('($body: String!)', '').replace('$body', '"First"'));
  const sessions = [];
  for (let at = 0; at < customers; at += 1) {
    const { createSession } = await ask(
      `mutation { createCustomer(input: { id: "c${at}", roles: ["r${at % 7}"] }) { id } createSession(customer: "c${at}") { token } }`,
    );
    sessions.push(createSession.token);
  }
  return sessions;
}

/**
 * Measures for some seconds.
 * @returns times in milliseconds; `work` is the processor time of the service between a request and its answer
 */
export async function measureBeside(stage, { name, readers, sessions, writes, seconds }) {
  const { service, tokens } = stage;
  const { pid } = service.child;
  const { path, body, isHidden = false, hasCustomers = false } = readings[name];
  const requests = Array.from({ length: readers }, (_, at) => {
    const session = hasCustomers ? { 'Session-Token': sessions[at % sessions.length] } : {};
    const headers = { Authorization: `Bearer ${tokens.public}`, ...session };
    return { head: streamHead(body === undefined ? 'GET' : 'POST', path, headers), body };
  });
  const opened = await openReaders(service.url, requests);
  await sleep(2_000);
  const end = performance.now() + seconds * 1_000;
  const before = { cpu: cpuTime(pid), at: performance.now() };
  const ask = async (token, path, sent) => {
    const [begun, work] = [performance.now(), cpuTime(pid)];
    const response = await fetch(service.url + path, {
      headers: { Authorization: `Bearer ${token}`, ...(sent && { 'Content-Type': 'application/json' }) },
      ...(sent && { method: 'POST', body: JSON.stringify(sent) }),
    });
    await response.arrayBuffer();
    const time = response.ok ? performance.now() - begun : Infinity;
    return { time, work: (cpuTime(pid) - work) / 1_000, isRefused: !response.ok };
  };
  const fetches = [];
  const fetching = (async () => {
    while (performance.now() < end) {
      fetches.push(await ask(tokens.public, '/channels/shown/entries/first'));
      await sleep(fetchPause);
    }
  })();
  const written = [];
  const writing = [];
  for (let at = 0; performance.now() < end; at += 1) {
    const sent = ask(tokens.master, `/channels/${isHidden ? 'hidden' : 'shown'}/entries`, { title: `Written ${at}` });
    writing.push(sent.then((each) => written.push(each)));
    await sleep(Math.max(before.at + ((at + 1) * 1_000) / writes - performance.now(), 0));
  }
  await Promise.all([fetching, ...writing]);
  const cpu = (cpuTime(pid) - before.cpu) / 10 / (performance.now() - before.at);
  const refused = written.filter(({ isRefused }) => isRefused).length;
  const expected = isHidden ? 0 : readers * (written.length - refused);
  let totals = await opened.read();
  for (let waited = 0; totals.events < expected && waited < 60; waited += 1) {
    await sleep(500);
    totals = await opened.read();
  }
  const used = memory(pid).resident;
  await opened.close();
  await sleep(1_000);
  const figures = (list) => ({
    p50: quantile(
      list.map(({ time }) => time),
      0.5,
    ),
    p99: quantile(
      list.map(({ time }) => time),
      0.99,
    ),
    work: quantile(
      list.map(({ work }) => work),
      0.99,
    ),
  });
  const missed = expected - totals.events;
  return {
    name,
    readers,
    writes: written.length - refused,
    refused,
    missed,
    cpu,
    used,
    fetch: figures(fetches),
    write: figures(written),
  };
}

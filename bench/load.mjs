// The load generator: a process of its own, so that what it costs is counted for neither side. For each message of its parent
// it sends the requests of one cell over some connections for some seconds, by wrk or itself, and answers with what it saw.
import autocannon from 'autocannon';
import { cells, floorRequests } from './cells.mjs';
import { quantile } from './figures.mjs';
import { siteCells } from './siteCells.mjs';
import { loadByWrk } from './wrk.mjs';

process.on('message', (job) => void run(job).then((result) => process.send(result)));
process.once('disconnect', () => process.exit());

/** In seconds. */
const longestSilence = 20;

/** @returns { requests, seconds, p50, p99, bytes }: bytes of an answer on average; or { failure } if a request failed */
async function run({ side, cell, url, connections, seconds, generator = 'autocannon', ...tools }) {
  // Those of several sites name the sites.
  const known = tools.sites === undefined ? cells : siteCells;
  const { floor, request } = known.find(({ name }) => name === cell);
  const make = side === 'floor' ? floorRequests[floor] : request;
  if (generator === 'wrk') return loadByWrk({ url, make: () => make({ ...tools, url }), connections, seconds });
  const latencies = [];
  let bytes = 0;
  let failure;
  const settings = {
    ...{ url, connections, duration: seconds, sampleInt: 20 },
    requests: [{ setupRequest: (defaults) => ({ ...defaults, ...make({ ...tools, url }) }) }],
    // GraphQL tells most errors with a 200.
    verifyBody: (body) => {
      if (!body.startsWith('{"errors"')) return true;
      failure ??= body;
      return false;
    },
  };
  const begun = performance.now();
  const result = await new Promise((resolve, reject) => {
    const tracker = autocannon(settings, (error, result) => (error ? reject(error) : resolve(result)));
    tracker.on('response', (client, status, size, milliseconds) => {
      latencies.push(milliseconds);
      bytes += size;
      if (status < 200 || status > 299) failure ??= `status ${status}`;
    });
    tracker.on('reqError', (error) => (failure ??= error.message));
  });
  const elapsed = (performance.now() - begun) / 1000;
  if (failure === undefined && result.mismatches === 0 && latencies.length > 0) {
    const [p50, p99] = [0.5, 0.99].map((part) => quantile(latencies, part));
    return { requests: latencies.length, seconds: elapsed, p50, p99, bytes: bytes / latencies.length };
  }
  if (failure !== undefined || seconds > longestSilence) return { failure: failure ?? 'no answer came' };
  // The machine is too busy for so short a time.
  return run({ side, cell, url, connections, seconds: 2 * seconds, ...tools });
}

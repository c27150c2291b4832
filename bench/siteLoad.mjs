// Sends the requests of a cell to the sites of a service, and reads what it and its servers use.
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, cpuTimeWithChildren } from './usage.mjs';

/** For how long it is watched what the servers use at rest, and how long is waited before, until the last writes have their places. */
const restMilliseconds = 1_000;
const settleMilliseconds = 300;

/** The processor time of the servers and of the service so far, in microseconds. */
export function readUse({ pid, postmasters }) {
  return { postgresql: postmasters.map(cpuTimeWithChildren), service: cpuTime(pid) };
}

/** Sends requests. @returns their rate, and the processor time of each in milliseconds, without what is used at rest */
export async function loadSites(cell, { url, sites, ...processes }, loader, { connections, seconds, isCold = false }) {
  const read = () => {
    const { postgresql, service } = readUse(processes);
    return { postgresql: postgresql.reduce((sum, used) => sum + used, 0), service };
  };
  await sleep(settleMilliseconds);
  const idle = read();
  await sleep(restMilliseconds);
  const before = read();
  const begun = performance.now();
  const answer = new Promise((resolve) => loader.once('message', resolve));
  loader.send({ cell, url, connections, seconds, sites, isCold });
  const { requests, failure, seconds: took, p50, p99 } = await answer;
  if (failure !== undefined) throw new Error(`${cell}: ${failure}`);
  // The last writes get their places, which is part of what they cost.
  await sleep(settleMilliseconds);
  const after = read();
  const elapsed = performance.now() - begun;
  // In the second before, the last uses of thousands of tokens may have been written, which is not what they use at rest.
  const atRest = (name) => (isCold ? 0 : ((before[name] - idle[name]) / restMilliseconds) * elapsed);
  const used = (name) => (after[name] - before[name] - atRest(name)) / requests / 1_000;
  return { rate: requests / took, p50, p99, postgresql: used('postgresql'), service: used('service') };
}

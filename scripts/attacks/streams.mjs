// The attack "2,000 streams beside writes": anonymous readers, from ten addresses, hold as many streams of changes as one public token
// may, while entries are written that they see, and others that they do not.
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../scratchService.mjs';
import { openReaders, streamHead } from '../streamReaders.mjs';

const addresses = 10;
const streamsOfAddress = 200;
const pause = 100;

let opened = null;
let refusal = null;
let written = 0;

/** Opens the streams, at the first call, and writes an entry. @returns the answer to the write */
async function writeBesideStreams(service) {
  opened ??= openReaders(
    service.url,
    Array.from({ length: addresses * streamsOfAddress }, (_, at) => ({
      head: streamHead('GET', '/changes?after=now', { Authorization: `Bearer ${service.tokens.attacker}` }),
      // Linux has all of 127.0.0.0/8.
      localAddress: `127.0.1.${1 + (at % addresses)}`,
    })),
  );
  // Writes go on while thousands of streams are opened; one that is refused fails the next write.
  opened.catch((error) => (refusal = error));
  if (refusal !== null) throw refusal;
  written += 1;
  const hidden = written % 2 === 0 ? { _acl: { '*': { read: false }, users: { read: false } } } : {};
  const entry = { title: `Written ${written}`, ...hidden };
  const answer = await send(service, service.tokens.master, '/channels/small/entries', entry);
  await sleep(pause);
  return answer;
}

/** Name, how many at the same time, and what is sent. */
export const streamAttacks = [['2,000 streams beside writes', 1, writeBesideStreams]];

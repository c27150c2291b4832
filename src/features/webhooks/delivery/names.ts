// Looks up the names of receivers, without the threads that files and other look-ups need: libuv has four, and a silent
// name server would hold them all. Each look-up has a deadline, and the look-ups of one site are served in turn.
import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { platform } from 'node:os';
import { withTimeout } from '../../../base/timeout.ts';
import { FairQueue } from '../../../admission/fairQueue.ts';
import { runUntil } from './ending.ts';
import type { LookUpAll } from './lookup.ts';

/** The settings of look-ups. Durations are in milliseconds. */
export interface NameSettings {
  /** The name servers, such as `127.0.0.1:53`; absent for those of the machine. */
  readonly nameServers?: readonly string[] | undefined;
  /** Whether names that no server knows may be the machine's: of a search domain, or of another service than DNS. */
  readonly asksPlatform: boolean;
  /** Ends the running look-ups. */
  readonly stopping: AbortSignal;
}

/** The end of a look-up without an answer. */
interface LookUpLimits {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** The number of names that are looked up at the same time and, below, of one site. */
const maxAtOnce = 256;
const maxOfSite = 4;
/** The same numbers for look-ups by the platform, in a thread of libuv. */
const maxByPlatform = 2;
/**
 * The longest wait of a look-up for a slot, in milliseconds: longer than any deadline, which ends the wait of its
 * caller.
 */
const maxWait = 3_600_000;
/** The number of times that a server is queried within a look-up's deadline. */
const tries = 2;
/** The time for which the addresses of one family wait for those of the other, in milliseconds. */
const maxSecondFamily = 300;
/** The time for which the content of the hosts file is cached, in milliseconds. */
const hostsMilliseconds = 5_000;

const hostsPath = platform() === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** Thrown if a name was not found in time. It has the code of Node's own look-ups. */
class LookUpError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export class NameLookUps {
  readonly #settings: NameSettings;
  readonly #turns = new FairQueue({ capacity: maxAtOnce, share: maxOfSite, maxWait });
  readonly #platformTurns = new FairQueue({ capacity: maxByPlatform, share: 1, maxWait });
  #hosts: { readonly readAt: number; readonly byName: Promise<ReadonlyMap<string, string[]>> } | undefined;

  constructor(settings: NameSettings) {
    this.#settings = settings;
  }

  /**
   * Looks up names for a site.
   * @param caller the caller whose slots they take
   * @param deadline the longest time of a look-up, with its wait for a slot
   */
  of(caller: string, deadline: number): LookUpAll {
    return (name) => this.#lookUp(caller, name, deadline);
  }

  /** @throws LookUpError, or the error of Node's resolver; both have a code */
  async #lookUp(caller: string, name: string, deadline: number): Promise<LookupAddress[]> {
    const host = name.toLowerCase().replace(/\.$/, '');
    const local = isIP(host) > 0 ? [host] : ((await this.#readHosts()).get(host) ?? localAddresses(host));
    if (local !== undefined) return local.map(toAddress);
    return runUntil(this.#settings.stopping, (signal) => {
      const found = this.#ask(caller, host, { deadline, signal });
      return withTimeout(deadline, found, () => new LookUpError('ETIMEOUT'));
    });
  }

  async #ask(caller: string, host: string, limits: LookUpLimits): Promise<LookupAddress[]> {
    const { signal } = limits;
    const leave = await enter(this.#turns, caller);
    try {
      if (signal.aborted) throw new LookUpError('ETIMEOUT');
      return await this.#askServers(host, limits);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA';
      if (!isUnknown || !this.#settings.asksPlatform) throw error;
    } finally {
      leave();
    }
    const leavePlatform = await enter(this.#platformTurns, caller);
    try {
      if (signal.aborted) throw new LookUpError('ETIMEOUT');
      return await lookup(host, { all: true });
    } finally {
      leavePlatform();
    }
  }

  /** Queries the servers for addresses of both families. @throws the error of one of them if neither has any */
  async #askServers(host: string, { deadline, signal }: LookUpLimits): Promise<LookupAddress[]> {
    const resolver = new Resolver({ timeout: Math.ceil(deadline / tries), tries });
    const { nameServers } = this.#settings;
    if (nameServers !== undefined) resolver.setServers(nameServers);
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    const families = [resolver.resolve4(host), resolver.resolve6(host)];
    const found: string[] = [];
    const noting = families.map((family) => family.then((addresses) => found.push(...addresses)));
    await Promise.any(noting).catch(() => undefined);
    const rest = Promise.allSettled(noting);
    await withTimeout(maxSecondFamily, rest, () => new LookUpError('ETIMEOUT')).catch(() => undefined);
    resolver.cancel();
    if (found.length === 0) await Promise.all(families);
    return found.map(toAddress);
  }

  #readHosts(): Promise<ReadonlyMap<string, string[]>> {
    const now = performance.now();
    if (this.#hosts === undefined || now - this.#hosts.readAt > hostsMilliseconds) {
      this.#hosts = { readAt: now, byName: readFile(hostsPath, 'utf8').then(parseHostsFile, () => new Map()) };
    }
    return this.#hosts.byName;
  }
}

/** @throws LookUpError if there is no slot in time */
async function enter(turns: FairQueue, caller: string): Promise<() => void> {
  try {
    return await turns.enter(caller);
  } catch {
    throw new LookUpError('ETIMEOUT');
  }
}

/** The addresses of names by a hosts file (hosts(5)). */
export function parseHostsFile(text: string): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      byName.set(name, [...(byName.get(name) ?? []), address]);
    }
  }
  return byName;
}

/** The addresses of names that always are this machine's (RFC 6761 §6.3); undefined for others. */
function localAddresses(host: string): string[] | undefined {
  return host === 'localhost' || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined;
}

function toAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}

// Looks up the names of receivers, without the threads that files and other look-ups need: those of libuv are four, and a name
// server that is silent would hold them all. Each look-up has a deadline, and those of one site take turns.
import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { platform } from 'node:os';
import { withTimeout } from '../../../base/timeout.ts';
import { FairQueue } from '../../../admission/fairQueue.ts';
import { runUntil } from './ending.ts';
import type { LookUpAll } from './lookup.ts';

/** How names are looked up. Durations are in milliseconds. */
export interface NameSettings {
  /** The name servers, such as `127.0.0.1:53`; absent: those of the machine. */
  readonly nameServers?: readonly string[] | undefined;
  /** Whether names that no server knows may be the machine's: of a search domain, or of another service than DNS. */
  readonly asksPlatform: boolean;
  /** Ends the look-ups under way. */
  readonly stopping: AbortSignal;
}

/** When a look-up ends without an answer. */
interface LookUpLimits {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** How many names are looked up at the same time, and how many of one site. */
const maxAtOnce = 256;
const maxOfSite = 4;
/** The same where the platform is asked, in a thread of libuv. */
const maxByPlatform = 2;
/** How long a look-up waits for its turn: longer than any deadline, which ends the wait of its caller. */
const maxWait = 3_600_000;
/** How often a server is asked within a look-up's deadline. */
const tries = 2;
/** How long the addresses of one family wait for those of the other. */
const maxSecondFamily = 300;
/** How long what the hosts file says is remembered. */
const hostsMilliseconds = 5_000;

const hostsPath = platform() === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** A name was not found in time. It has the code that Node's own look-ups have. */
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
   * @param caller whose turns they take
   * @param deadline how long a look-up may take, with the wait for its turn
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

  /** Asks the servers for addresses of both families. @throws the error of one of them if neither has any */
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

/** @throws LookUpError where the turn does not come in time */
function enter(turns: FairQueue, caller: string): Promise<() => void> {
  return turns.enter(caller).catch(() => {
    throw new LookUpError('ETIMEOUT');
  });
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

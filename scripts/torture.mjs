// `npm run torture`: kills the service again and again while it writes to one embedded directory, and looks after each
// start whether every write that was acknowledged is there, once. `--times 100` kills; the build does a few. With `--attacks`
// it attacks a service instead (`--only` names some attacks), and with `--soak` it puts a mixed load on it for a long time: on
// both databases, or on the one that `--on` names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attack } from './attacks.mjs';
import { readOptions } from './options.mjs';
import { soak } from './soak.mjs';

const usage = `npm run torture -- [options]
  --times <n>      how often the service is killed; default: 100
  --attacks        attacks a service instead, for --seconds <n> each; default: 10. --only <parts>: those whose names have one of these texts
  --soak           puts a mixed load on it instead, of --clients <n>, for --minutes <n>; default: 20 and 60
  --on <databases> for both of these; default: postgresql,embedded`;
const main = join(import.meta.dirname, '../dist/main.js');
const writers = 6;
/** So often a second process is started on the directory. */
const secondEvery = 10;

/**
 * @param times how often the service is killed
 * @param environment more environment variables for its processes
 * @param say takes a line after each kill
 * @returns { kills, acknowledged, lost, doubled, torn }: the counts, and the markers of the writes that went wrong
 */
export async function torture(times, { environment = {}, say = () => undefined } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'entryway-torture-'));
  const env = {
    ...process.env,
    ...environment,
    DATA_DIR: directory,
    PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    DEMO: 'on',
  };
  delete env.DATABASE_URL;
  const history = new History();
  let token;
  try {
    for (let kill = 1; kill <= times; kill += 1) {
      const service = await start(env);
      const ended = once(service.child, 'exit');
      token ??= service.tokens?.master;
      await history.compare(service.url, token);
      if (kill % secondEvery === 1) await refuseSecond(env);
      const killed = Promise.race([history.grown(Math.random() * 100), ended]).then(() =>
        service.child.kill('SIGKILL'),
      );
      await Promise.all([killed, ...Array.from({ length: writers }, () => history.write(service.url, token))]);
      const [code, signal] = await ended;
      if (signal !== 'SIGKILL') throw new Error(`The service ended by itself, with ${code ?? signal}.`);
      say(`${kill} of ${times}: ${history.acknowledged} writes acknowledged`);
    }
    const service = await start(env);
    await history.compare(service.url, token);
    service.child.kill('SIGTERM');
    const [code] = await once(service.child, 'exit');
    if (code !== 0) throw new Error(`The last service ended with ${code}.`);
    return { kills: times, acknowledged: history.acknowledged, ...history.wrong };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A service that is ready. @throws Error where it does not start by itself */
async function start(env) {
  const child = spawn(process.execPath, [main, 'serve', '--json'], {
    env,
    cwd: dirname(main),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.trimEnd().endsWith('}')) break;
  }
  if (output === '') throw new Error('The service did not start.');
  const { url, tokens } = JSON.parse(output);
  return { child, url, tokens };
}

/** A second process on the directory is refused, and harms nothing. */
async function refuseSecond(env) {
  const child = spawn(process.execPath, [main, 'serve', '--json'], { env, cwd: dirname(main), stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 1) throw new Error(`A second process on the directory ended with ${code}, not 1.`);
}

/** What the writers were told, and whether the database says the same. */
class History {
  /** By marker: the newest version that was acknowledged, and the newest that was asked for. */
  #entries = new Map();
  /** Those that were acknowledged of the entries that are created three at a time, in one transaction. */
  #trios = new Set();
  /** Markers that were found gone for good: what comes back is wrong. */
  #gone = new Set();
  #next = 0;
  acknowledged = 0;
  wrong = { lost: [], doubled: [], torn: [] };

  /** Creates, updates and deletes until the service is gone. */
  async write(url, token) {
    for (;;) {
      const marker = `m${(this.#next += 1)}`;
      const entry = { id: null, told: 0, asked: 1, isDeleted: null };
      this.#entries.set(marker, entry);
      const body = (version) => ({ marker, version, copy: version, filler: 'x'.repeat(200) });
      const created = await send(url, token, 'POST', '', body(1));
      if (created === null) return;
      Object.assign(entry, { id: created.id, told: 1 });
      this.acknowledged += 1;
      for (let version = 2; version <= 3; version += 1) {
        entry.asked = version;
        if ((await send(url, token, 'PATCH', `/${entry.id}`, body(version))) === null) return;
        entry.told = version;
        this.acknowledged += 1;
      }
      if (this.#next % 3 !== 0) continue;
      entry.isDeleted = 'asked';
      if ((await send(url, token, 'DELETE', `/${entry.id}`)) === null) return;
      entry.isDeleted = 'told';
      this.acknowledged += 1;
      if (!(await this.#createTrio(url, token, `${marker}-trio`))) return;
    }
  }

  /** Resolves once so many more writes were acknowledged, and a moment after: the next ones are under way. */
  async grown(count) {
    const enough = this.acknowledged + count;
    while (this.acknowledged < enough) await sleep(5);
    await sleep(Math.random() * 100);
  }

  async #createTrio(url, token, trio) {
    const operations = [1, 2, 3].map(() => ({ op: 'create', data: { trio } }));
    if ((await send(url, token, 'POST', '/bulk', { operations })) === null) return false;
    this.#trios.add(trio);
    this.acknowledged += 3;
    return true;
  }

  /** Looks at everything that is stored, and begins anew. */
  async compare(url, token) {
    if (this.#entries.size === 0) return;
    const stored = new Map();
    const trios = new Map();
    for await (const entry of all(url, token)) {
      if (typeof entry.trio === 'string') trios.set(entry.trio, (trios.get(entry.trio) ?? 0) + 1);
      if (typeof entry.marker !== 'string') continue;
      stored.set(entry.marker, [...(stored.get(entry.marker) ?? []), entry]);
      if (entry.version !== entry.copy) this.wrong.torn.push(entry.marker);
      if (this.#gone.has(entry.marker)) this.wrong.lost.push(entry.marker);
    }
    for (const trio of this.#trios) if (!trios.has(trio)) this.wrong.lost.push(trio);
    for (const [trio, count] of trios) if (count !== 3) this.wrong.torn.push(trio);
    for (const [marker, { told, asked, isDeleted }] of this.#entries) {
      const found = stored.get(marker) ?? [];
      if (found.length > 1) this.wrong.doubled.push(marker);
      const [entry] = found;
      if (isDeleted === 'told' ? entry : told > 0 && !entry && isDeleted === null) this.wrong.lost.push(marker);
      if (entry && (entry.version < told || entry.version > asked)) this.wrong.lost.push(marker);
      // From here on it is what is stored that has to stay.
      if (!entry) {
        this.#entries.delete(marker);
        this.#gone.add(marker);
      } else Object.assign(this.#entries.get(marker), { told: entry.version, asked: entry.version, isDeleted: null });
    }
  }
}

/** What was answered; null where no answer came, or none that acknowledges. */
async function send(url, token, method, path, body) {
  try {
    const response = await fetch(`${url}/channels/articles/entries${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return text === '' ? {} : JSON.parse(text);
    throw new Error(`${method} ${path}: ${response.status} ${text}`);
  } catch (error) {
    // The connection breaks when the service is killed; anything else is a fault, half an answer taken for a whole one too.
    if (error.name === 'TypeError' && error.cause !== undefined) return null;
    throw error;
  }
}

/** Every entry of the channel, by cursor. */
async function* all(url, token) {
  const query =
    'query ($after: String) { entries(channel: "articles", first: 250, after: $after) { nodes { fields } pageInfo { endCursor hasNextPage } } }';
  for (let after = null, isMore = true; isMore;) {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables: { after } }),
    });
    const { data } = await response.json();
    const { nodes, pageInfo } = data.entries;
    for (const { fields } of nodes) yield fields;
    [after, isMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = readOptions(usage, {
    times: '100',
    attacks: false,
    seconds: '10',
    only: '',
    soak: false,
    minutes: '60',
    clients: '20',
    on: 'postgresql,embedded',
  });
  const [seconds, minutes, clients] = [values.seconds, values.minutes, values.clients].map(Number);
  const kinds = values.on.split(',');
  const run = () => {
    if (values.attacks) return onEach(kinds, (kind) => attack({ kind, seconds, only: values.only, say: console.log }));
    if (values.soak) return onEach(kinds, (kind) => soak({ kind, minutes, clients, say: console.log }));
    return kill(Number(values.times));
  };
  process.exitCode = (await run()) ? 0 : 1;
}

/** Kills the service some times. @returns whether every write that was acknowledged is there, once */
async function kill(times) {
  const { kills, acknowledged, lost, doubled, torn } = await torture(times, { say: console.log });
  console.log(
    `\n${kills} kills, ${acknowledged} writes acknowledged, ${lost.length} lost, ${doubled.length} doubled, ${torn.length} torn`,
  );
  return kills > 0 && acknowledged > 0 && lost.length + doubled.length + torn.length === 0;
}

/** Runs something on each of the databases, one after the other. @returns whether all were sound */
async function onEach(kinds, run) {
  let isSound = true;
  for (const kind of kinds) isSound = (await run(kind)) && isSound;
  return isSound;
}

// `npm run drill -- container`: carries out each step of deploy/Dockerfile in scratch roots, without Docker, and runs what comes
// out of it as a container would: as the image's user, on a root that cannot be written to but for /data.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, freePort, startServer } from '../postgresql.mjs';
import { readDockerfile, readPairs } from './dockerfile.mjs';
import { assertCanMount, createRoot, removeRoot, runIn, startIn } from './scratchRoot.mjs';

const project = join(import.meta.dirname, '../..');

/** @param say takes a line of progress @returns what was seen: { node, megabytes, packages, … } */
export async function container({ say }) {
  assertCanMount();
  const scratch = mkdtempSync(join(tmpdir(), 'entryway-drill-'));
  const stages = readDockerfile(join(project, 'deploy/Dockerfile'));
  const roots = {};
  try {
    const context = copyContext(join(scratch, 'context'));
    const node = await installNode(stages[0].image, join(scratch, 'node'), say);
    const built = [];
    for (const stage of stages) {
      const image = { root: createRoot(), env: { ...nodeEnvironment() }, cwd: '/', user: undefined, node };
      roots[stage.name || 'final'] = image.root;
      built.push(image);
      for (const step of stage.steps) await carryOut(step, image, { context, roots, scratch, say });
    }
    const image = built.at(-1);
    const app = measure(image);
    say(`The image's own files: ${app.megabytes} MB, ${app.packages} packages.`);
    const embedded = await tryService(image, scratch, {}, say);
    const onServer = await tryOnServer(image, scratch, say);
    return { node: node.version, ...app, embedded, postgresql: onServer };
  } finally {
    for (const root of Object.values(roots)) removeRoot(root);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Copies what .dockerignore lets a build see. It lists what is let in, and then what of it is not. */
function copyContext(target) {
  mkdirSync(target);
  for (const line of readFileSync(join(project, '.dockerignore'), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#') || line === '*') continue;
    if (!line.startsWith('!')) rmSync(join(target, line), { recursive: true, force: true });
    else cpSync(join(project, line.slice(1)), join(target, line.slice(1)), { recursive: true });
  }
  return target;
}

/** Gets the Node of the image, from the registry of packages. @returns its directory, and its version */
async function installNode(image, directory, say) {
  const major = /^node:(\d+)/.exec(image)?.[1];
  mkdirSync(directory);
  execFileSync('npm', ['install', '--silent', '--prefix', directory, `node-linux-${process.arch}@${major}`], {
    stdio: 'inherit',
  });
  const bin = join(directory, 'node_modules', `node-linux-${process.arch}`, 'bin');
  const version = execFileSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).trim();
  say(`Node ${version}, for ${image}.`);
  return { bin, version };
}

function nodeEnvironment() {
  const passed = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'HTTPS_PROXY', 'NO_PROXY'];
  const kept = Object.fromEntries(passed.filter((name) => process.env[name]).map((name) => [name, process.env[name]]));
  return { ...kept, PATH: '/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/tmp' };
}

/** Carries out one step of a stage. */
async function carryOut({ keyword, text, words, from }, image, { context, roots, scratch, say }) {
  if (keyword === 'ENV') Object.assign(image.env, readPairs(text));
  else if (keyword === 'WORKDIR') {
    image.cwd = resolve(image.cwd, words[0]);
    mkdirSync(join(image.root, image.cwd), { recursive: true });
  } else if (keyword === 'USER') image.user = Number(words[0].split(':')[0]);
  else if (keyword === 'COPY') copy(words, image, from === null ? context : roots[from]);
  else if (keyword === 'RUN') {
    const begun = performance.now();
    const certificates = process.env.NODE_EXTRA_CA_CERTS;
    const mounts = { '/node': image.node.bin };
    // What this machine needs to reach the registry; no part of the image.
    if (certificates && !/^\/(usr|etc)\//.test(certificates)) {
      copyFileSync(certificates, join(scratch, 'certificates.pem'));
      mounts['/tmp/drill'] = scratch;
    }
    const env = { ...image.env, ...(mounts['/tmp/drill'] && { NODE_EXTRA_CA_CERTS: '/tmp/drill/certificates.pem' }) };
    await runIn(image.root, ['sh', '-c', text], { env, cwd: image.cwd, mounts });
    say(`RUN ${text}: ${Math.round((performance.now() - begun) / 1000)} s`);
  } else if (keyword === 'HEALTHCHECK' || keyword === 'ENTRYPOINT' || keyword === 'CMD') image[keyword] = words;
  else if (keyword === 'VOLUME') image.volume = words[0];
}

function copy(words, { root, cwd }, source) {
  const target = words.at(-1);
  for (const word of words.slice(0, -1)) {
    const path = join(source, word);
    const isFolder = statSync(path).isDirectory();
    const to = join(root, resolve(cwd, target), isFolder || !target.endsWith('/') ? '' : basename(word));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(path, to, { recursive: true, verbatimSymlinks: true });
  }
}

/** What the image adds to its base. @throws Error where its user could change it, or it has what only development needs */
function measure({ root, cwd, user }) {
  const app = join(root, cwd);
  const [kilobytes] = execFileSync('du', ['-sk', app], { encoding: 'utf8' }).split('\t');
  const find = ['-user', String(user), '-o', '-perm', '-o+w', '-not', '-type', 'l'];
  const writable = execFileSync('find', [app, ...find], { encoding: 'utf8' }).trim();
  if (writable !== '') throw new Error(`The image's user can change ${writable.split('\n')[0].slice(root.length)}.`);
  const development = ['typescript', 'jest', 'eslint', 'prisma', 'tsx'];
  const left = development.filter((name) => existsSync(join(app, 'node_modules', name)));
  if (left.length > 0) throw new Error(`The image has ${left.join(', ')}.`);
  const scoped = (name) => (name.startsWith('@') ? readdirSync(join(app, 'node_modules', name)) : [name]);
  const packages = readdirSync(join(app, 'node_modules'))
    .filter((name) => !name.startsWith('.'))
    .flatMap(scoped).length;
  return { megabytes: Math.round(Number(kilobytes) / 1024), packages };
}

/** Runs the image's command until it is healthy, makes a site and a token, creates an entry, and stops it. */
async function tryService(image, scratch, environment, say, more = {}) {
  const data = mkdtempSync(join(scratch, 'data-'));
  chownSync(data, image.user, image.user);
  const env = { ...image.env, PORT: String(await freePort()), ...environment };
  const mounts = { '/node': image.node.bin, [image.volume]: data, ...more };
  const options = { env, cwd: image.cwd, mounts, user: image.user, readOnly: true };
  const begun = performance.now();
  const child = startIn(image.root, [...image.ENTRYPOINT, ...image.CMD], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (part) => (log += part));
  try {
    const url = `http://127.0.0.1:${env.PORT}`;
    await untilReady(url, child, () => log);
    const readyAfter = Math.round(performance.now() - begun);
    await runIn(image.root, image.HEALTHCHECK, options);
    const entryway = async (...words) =>
      JSON.parse(await runIn(image.root, [...image.ENTRYPOINT, ...words, '--json'], options));
    await entryway('site', 'create', 'drill');
    const { token } = await entryway('token', 'create', '--kind', 'master', '--site', 'drill');
    const send = (path, body) =>
      fetch(url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const statuses = [(await send('/channels', { id: 'notes' })).status];
    statuses.push((await send('/channels/notes/entries', { title: 'Hello' })).status);
    if (statuses.join() !== '201,201') throw new Error(`It answered ${statuses.join()}: ${log}`);
    const told = performance.now();
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    const stoppedAfter = Math.round(performance.now() - told);
    if (code !== 0) throw new Error(`It ended with ${code} on SIGTERM: ${log}`);
    say(
      `As user ${image.user}, on a read-only root: ready after ${readyAfter} ms, healthy, stopped after ${stoppedAfter} ms.`,
    );
    return { readyAfter, stoppedAfter };
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}

/** The same on PostgreSQL, whose URL stands in a file that the image's user may read. */
async function tryOnServer(image, scratch, say) {
  const bin = findBinaries();
  if (bin === null) throw new Error('The drill needs an installation of PostgreSQL, 15 or newer.');
  const server = await startServer(bin);
  const secrets = join(scratch, 'secrets');
  mkdirSync(secrets);
  writeFileSync(join(secrets, 'database_url'), `${server.url}\n`, { mode: 0o440 });
  chownSync(join(secrets, 'database_url'), 0, image.user);
  try {
    const environment = { DATABASE_URL_FILE: '/run/secrets/database_url' };
    return await tryService(image, scratch, environment, say, { '/run/secrets': secrets });
  } finally {
    await server.stop();
  }
}

async function untilReady(url, child, log) {
  for (const giveUpAt = performance.now() + 60_000; performance.now() < giveUpAt;) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${log()}`);
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(50);
  }
  throw new Error(`It was not ready after a minute: ${log()}`);
}

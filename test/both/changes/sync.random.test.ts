// `entryway sync` as a process of its own, killed and started again at any moment, while all that can change an entry's sight
// happens at random: in the end its file is what its token lists.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { as, type Caller, type Credentials } from '../../support/as.ts';
import { entryway, start } from '../../support/process.ts';
import { seeded, type Random } from '../../support/random.ts';
import { buildCallers, buildScene, suiteApp, type Scene } from '../../support/scene.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';
import { readListed, readSynced } from '../../support/synced.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const directory = scratchDirectory();
afterAll(removeScratch);

const channels = ['articles', 'people', 'films'];
const scopes = ['public', 'shared', 'private', 'none'];

/** The site: articles refer to people; films come and go. */
async function buildSynced(): Promise<Scene> {
  const scene = await buildScene(app, { publishable: true, readScope: 'public' });
  const fields = [{ name: 'name', type: 'string' }];
  await scene.master.rest('POST', '/channels', {
    body: { id: 'people', titleField: 'name', publishable: true, acl: { read: 'public' }, fields },
  });
  await scene.master.rest('PATCH', '/channels/articles', {
    body: {
      fields: [
        { name: 'title', type: 'string' },
        { name: 'author', type: 'reference', channel: 'people' },
        { name: 'links', type: 'references', channel: 'people' },
      ],
    },
  });
  return scene;
}

interface World {
  readonly random: Random;
  readonly master: Caller;
  /** The ids that were made, by channel. */
  readonly ids: Record<string, string[]>;
}

/** One write that may be refused: what it says is what matters. */
async function writeSomething({ random, master, ids }: World): Promise<void> {
  const channel = random.pick(random.chance(0.6) ? ['articles'] : ['people', 'films']);
  const known = ids[channel] ?? [];
  const confirm = `?confirm=${channel}`;
  if (random.chance(0.06)) {
    const body = random.pick<object>([
      { acl: { read: random.pick(scopes) } },
      { acl: { read: 'public' } },
      { publishable: random.chance(0.7) },
      { name: `Name ${random.upTo(9)}` },
    ]);
    await master.rest('PATCH', `/channels/${channel}${confirm}`, { body });
  } else if (channel === 'films' && random.chance(0.1)) {
    await master.rest('DELETE', `/channels/films${confirm}`);
    if (random.chance(0.7)) await master.rest('POST', '/channels', { body: { id: 'films', acl: { read: 'public' } } });
  } else if (known.length === 0 || random.chance(0.35)) {
    const { status, body } = await master.rest<{ id: string }>('POST', `/channels/${channel}/entries`, {
      body: membersOf(channel, random, ids),
    });
    if (status === 201) (ids[channel] ??= []).push(body.id);
    else await master.rest('POST', '/channels', { body: { id: channel } });
  } else {
    const path = `/channels/${channel}/entries/${random.pick(known)}`;
    if (random.chance(0.2)) await master.rest('DELETE', path);
    else await master.rest('PATCH', path, { body: membersOf(channel, random, ids) });
  }
}

function membersOf(channel: string, random: Random, ids: World['ids']): Record<string, unknown> {
  const people = ids['people'] ?? [];
  const soon = new Date(Date.now() + random.upTo(1_500)).toISOString();
  return {
    ...(channel === 'people' ? { name: `Person ${random.upTo(99)}` } : { title: `Title ${random.upTo(99)}` }),
    ...(channel === 'articles' &&
      people.length > 0 &&
      random.chance(0.5) && { author: random.pick(people), links: [random.pick(people)] }),
    ...(random.chance(0.6) && { _status: random.pick(['draft', 'published']) }),
    ...(random.chance(0.1) && { _status: 'scheduled', _publish_at: soon }),
    ...(random.chance(0.2) && { _owner: random.pick(['ada', 'bob']) }),
    ...(random.chance(0.3) && {
      _acl: random.pick([{}, { '*': { read: false } }, { 'role:editor': { read: true } }, { ada: { read: false } }]),
    }),
  };
}

/** A file that is kept, and how. */
interface Kept {
  readonly file: string;
  readonly words: string[];
  readonly environment: Record<string, string>;
}

/** A process that follows, is killed at random moments and started again. Killed processes leave whole files. */
async function followAndDie({ words, environment, file }: Kept, stop: AbortSignal): Promise<void> {
  const random = seeded(words.length + file.length);
  while (!stop.aborted) {
    const child: ChildProcessWithoutNullStreams = start(['sync', ...words, '--follow'], environment);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.resume();
    const ended = once(child, 'close');
    await Promise.race([sleep(500 + random.upTo(4_000)), ended]);
    expect([stderr, child.exitCode]).toEqual(['', null]);
    child.kill('SIGKILL');
    await ended;
    readSynced(file);
  }
}

test.each([1])('a synchronized copy equals the visible entries after random changes, seed %i', async (seed) => {
  const scene = await buildSynced();
  const callers = await buildCallers(scene);
  const world: World = { random: seeded(seed), master: scene.master, ids: {} };
  for (let at = 0; at < 30; at += 1) await writeSomething(world);
  // The first run refuses channels that there are not.
  await scene.master.rest('POST', '/channels', { body: { id: 'films' } });
  const kept = [
    ['master', callers.master],
    ['public', callers.public],
    ['ada', callers.ada],
    ['user', callers['user+ada']],
  ] as const satisfies readonly (readonly [string, Credentials])[];
  const stop = new AbortController();
  const runs: Kept[] = [];
  for (const [name, { token = '', session, site }] of kept as readonly (readonly [string, Credentials])[]) {
    const file = join(directory, `${seed}-${name}.ndjson`);
    const ofSite = site === undefined ? [] : ['--site', site];
    const words = ['--channel', channels.join(','), '-o', file, ...ofSite];
    const environment = {
      ENTRYWAY_URL: app.url,
      ENTRYWAY_TOKEN: token,
      ...(session !== undefined && { ENTRYWAY_SESSION: session }),
    };
    expect((await entryway(['sync', ...words], environment)).code).toBe(0);
    runs.push({ file, words, environment });
  }
  const following = runs.map((run) => followAndDie(run, stop.signal));
  const end = performance.now() + 12_000;
  while (performance.now() < end) {
    await writeSomething(world);
    await sleep(world.random.upTo(40));
  }
  stop.abort();
  await Promise.all(following);
  // What was scheduled is published, and recorded to be.
  await sleep(7_000);
  for (const [index, { file, words, environment }] of runs.entries()) {
    const { code, stdout, stderr } = await entryway(['sync', ...words, '--once', '--json'], environment);
    expect([stderr, code]).toEqual(['', 0]);
    const listed = await readListed(as(app, kept[index]?.[1]), channels);
    expect(readSynced(file)).toEqual(listed);
    expect(JSON.parse(stdout)).toMatchObject({ entries: listed.size, file });
  }
});

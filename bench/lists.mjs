// `npm run bench:lists [-- --entries 1000000 --rounds 15]`: what each kind of list costs in a channel of many entries, as a
// ratio to a channel of 10,000 in the same database and run, and to a request that does nothing (/livez). On PostgreSQL.
// Prints a table; `--plans` prints the plan of each statement, too.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { readConfig } from '../dist/config.js';
import { openDatabase } from '../dist/db/database.js';
import { migrate } from '../dist/db/migrate.js';
import { mintToken } from '../dist/auth/token.js';
import { createLog } from '../dist/log.js';
import { startService } from '../dist/service.js';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '15' },
    plans: { type: 'boolean', default: false },
  },
});
const sizes = { small: 10_000, large: Number(options.entries) };
const rounds = Number(options.rounds);

const fields = [
  { name: 'title', type: 'string' },
  { name: 'year', type: 'integer', indexed: true },
  { name: 'released', type: 'date', indexed: true },
  { name: 'code', type: 'string' },
  { name: 'rating', type: 'float' },
  { name: 'country', type: 'string' },
  { name: 'genres', type: 'strings' },
];

/** What is asked, by the number of entries n: as many matches in each channel, or the same part of each. */
const questions = [
  ['the newest', () => ''],
  ['equality, 1 match', (n) => `code=c${n / 2}`],
  ['equality, 100 matches', (n) => `title=Title ${Math.floor(n / 100 / 2)}`],
  ['equality, a tenth', () => 'country=Country 3'],
  ['membership, 100 matches', (n) => `genres=Genre ${Math.floor(n / 100 / 2)}`],
  ['membership, a tenth', () => 'genres=Kind 4'],
  ['membership of two', (n) => `genres.all=Kind 4,Genre ${Math.floor(n / 100 / 20) * 10 + 4}`],
  ['range, 100 matches', (n) => `year.gte=${n / 2}&year.lt=${n / 2 + 100}`],
  ['range, a half', (n) => `year.gte=${n / 2}`],
  ['sort by a number', () => 'sort=-year'],
  ['sort by a date', () => 'sort=released'],
  ['sort, behind a cursor', () => 'sort=year', 'cursor'],
  ['range and sort', (n) => `year.gte=${n / 2}&sort=year`],
  ['equality, a tenth, and sort', () => 'country=Country 3&sort=-year'],
];

const bin = findBinaries();
if (bin === null) throw new Error('PostgreSQL is not installed');
const server = await startServer(bin);
const database = await openDatabase({ databaseUrl: server.url, databasePool: 4, statementTimeout: 600_000 });
const client = new pg.Client(server.url);
await client.connect();
let service;
try {
  await migrate(database);
  const { token } = await fill();
  const config = readConfig({ PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'silent', DATABASE_URL: server.url });
  service = await startService(config, database, createLog('silent'));
  service.open();
  await measure(service.url, token);
} finally {
  await service?.stop();
  await client.end();
  await database.close();
  await server.stop();
}

async function fill() {
  const { token, hash } = mintToken('master');
  await client.query(`INSERT INTO sites VALUES ('bench', 'Bench', now())`);
  await client.query(
    `INSERT INTO tokens (id, kind, hash, site_id, created_at) VALUES (gen_random_uuid(), 'master', $1, 'bench', now())`,
    [Buffer.from(hash)],
  );
  const unset = { label: null, hint: null, required: false, unique: false, indexed: false, default: null };
  const rest = { options: null, channel: null, min: null, max: null, pattern: null };
  const definitions = JSON.stringify(fields.map((field) => ({ ...unset, ...rest, ...field })));
  for (const [id, count] of Object.entries(sizes)) {
    const begun = performance.now();
    const { rows } = await client.query(
      `INSERT INTO channels (site_id, uid, id, name, publishable, create_scope, read_scope, update_scope, delete_scope,
         title_field, language, fields, created_at, updated_at)
       VALUES ('bench', gen_random_uuid(), $1, $1, true, 'none', 'public', 'none', 'none', 'title', 'english', $2, now(), now())
       RETURNING uid`,
      [id, definitions],
    );
    await fillChannel(rows[0].uid, count);
    console.log(`${id}: ${count} entries in ${Math.round((performance.now() - begun) / 1000)} s`);
  }
  await client.query('VACUUM ANALYZE');
  return { token };
}

async function fillChannel(uid, count) {
  const order = `(n * 7919::bigint) % ${count}`;
  await client.query(
    `INSERT INTO entries (site_id, id, channel_uid, short_id, slug, created_at, updated_at, status, acl, data, title, fields_version)
     SELECT 'bench', gen_random_uuid(), $1, 'S' || lpad(to_hex(n + ${count}), 9, '0'), 'entry-' || n,
       now() - n * interval '1 second', now(), 'published', '{}', jsonb_build_object(
         'title', 'Title ' || (${order} / 100), 'year', ${order}, 'released', ('1900-01-01'::date + (${order} % 40000)::int)::text,
         'code', 'c' || ${order}, 'rating', (n % 100) / 10.0, 'country', 'Country ' || n % 10,
         'genres', jsonb_build_array('Kind ' || (${order} / 100) % 10, 'Genre ' || ${order} / 100),
         'text', repeat('Lorem ipsum dolor sit amet ', 20)), 'Title ' || (${order} / 100), 1
     FROM generate_series(0, $2::int - 1) AS n`,
    [uid, count],
  );
  const key = (expression) =>
    `SELECT site_id, id, channel_uid, ${expression} FROM entries WHERE site_id = 'bench' AND channel_uid = $1`;
  await client.query(
    `INSERT INTO entry_values (site_id, entry_id, channel_uid, field, key)
     ${key(`'year', 'n' || encode(set_bit(float8send((data ->> 'year')::float8), 7, 1), 'hex')`)}`,
    [uid],
  );
  await client.query(
    `INSERT INTO entry_values (site_id, entry_id, channel_uid, field, key) ${key(`'released', 't' || (data ->> 'released')`)}`,
    [uid],
  );
}

async function measure(url, token) {
  const headers = { Authorization: `Bearer ${token}` };
  const floor = await time(() => fetch(`${url}/livez`).then((answer) => answer.arrayBuffer()));
  console.log(`\n/livez: ${floor.toFixed(2)} ms. Median of ${rounds}, in ms; all with 30 entries on the page.\n`);
  console.log('| list | total | 10,000 | of the floor | many | ratio |\n|---|---|---|---|---|---|');
  let worst = 0;
  for (const [name, query, where] of questions) {
    for (const preference of ['', 'count=none']) {
      const ask = async (channel, size) => {
        const start = `${url}/channels/${channel}/entries?${query(size)}`;
        const target = where === 'cursor' ? await behind(start) : start;
        const send = async () => {
          const answer = await fetch(encodeURI(target), {
            headers: { ...headers, ...(preference && { Prefer: preference }) },
          });
          const body = await answer.json();
          if (answer.status !== 200 || body.length === 0)
            throw new Error(`${name}: ${answer.status} ${JSON.stringify(body).slice(0, 300)}`);
        };
        return time(send);
      };
      const small = await ask('small', sizes.small);
      const large = await ask('large', sizes.large);
      worst = Math.max(worst, large / small);
      const cells = [
        name,
        preference === '' ? 'counted' : 'not counted',
        small.toFixed(1),
        (small / floor).toFixed(1),
        large.toFixed(1),
        (large / small).toFixed(1),
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
  console.log(`\nThe worst ratio: ${worst.toFixed(1)}`);

  /** The list behind the cursor of its 20th page. */
  async function behind(start) {
    let target = start;
    for (let page = 0; page < 20; page += 1) {
      const answer = await fetch(encodeURI(`${target}&per_page=250`), {
        headers: { ...headers, Prefer: 'count=none' },
      });
      await answer.arrayBuffer();
      target = `${start}&cursor=${answer.headers.get('x-next-cursor')}`;
    }
    return target;
  }
}

/** The median time of a few rounds, in milliseconds, after two that warm up. */
async function time(send) {
  const times = [];
  for (let round = -2; round < rounds; round += 1) {
    const begun = performance.now();
    await send();
    if (round >= 0) times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

// What the benchmarks fill a database with: articles, made in SQL, and those that are created while it is measured.
import { createHash, randomBytes } from 'node:crypto';

/** The fields of a channel of articles, as `createChannel` takes them. */
const fields = [
  { name: 'title', type: 'STRING', required: true },
  { name: 'body', type: 'TEXT' },
  { name: 'year', type: 'INTEGER', indexed: true },
  { name: 'rating', type: 'FLOAT' },
  { name: 'country', type: 'STRING' },
  { name: 'tags', type: 'STRINGS' },
];

const sentences =
  'Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna ' +
  'aliqua ut enim ad minim veniam quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat ' +
  'duis aute irure dolor in reprehenderit in voluptate velit esse cillum dolore eu fugiat nulla pariatur excepteur ' +
  'sint occaecat cupidatat non proident';

/** How many articles have the same rare word, year and tag. */
const articlesPerWord = 20;
const articlesPerYear = 100;
const articlesPerTag = 100;

/** How many years there are among so many articles: from 0 on. */
export function countYears(entries) {
  return Math.max(1, Math.floor(entries / articlesPerYear));
}

/** A word that only a few of so many articles have. */
export function rareWord(entries) {
  return `quokka${Math.floor(Math.max(1, Math.floor(entries / articlesPerWord)) / 2)}`;
}

/** A tag that only some of so many articles have; all of these are next to each other. */
export function rareTag(entries) {
  return `Tag ${Math.floor(entries / articlesPerTag / 2)}`;
}

/** The id of the article with a number in a channel: of the same form as in `loadArticles`. */
export function articleId(channel, number) {
  const digits = createHash('md5').update(`${channel} ${number}`).digest('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A new article, like those that are loaded, with a title of its own. */
export function newArticle() {
  const number = randomBytes(6).readUIntBE(0, 6);
  return {
    title: `Article ${number}`,
    body: `${sentences} wallaby${number % 1000}`,
    year: number % 1000,
    rating: (number % 100) / 10,
    country: `Country ${number % 10}`,
    tags: [`Kind ${number % 10}`, `Tag ${number % 1000}`],
  };
}

/**
 * Creates a channel of articles.
 * @param ask sends a GraphQL document with its variables as a master
 * @param settings more members of the channel's input
 */
export async function createArticles(ask, id, settings = {}) {
  const input = { id, publishable: true, fields, ...settings };
  await ask('mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }', { input });
}

/** The SQL of an article's values by its number `n`, for `count` of them ($2). */
const values = `jsonb_build_object(
  'title', 'Article ' || n,
  'body', '${sentences} quokka' || n % greatest(1, $2::int / ${articlesPerWord}),
  'year', n % greatest(1, $2::int / ${articlesPerYear}),
  'rating', ((n % 100) / 10.0)::float8,
  'country', 'Country ' || n % 10,
  'tags', jsonb_build_array('Kind ' || n % 10, 'Tag ' || n / ${articlesPerTag}))`;

/** The SQL of a text's part of the search vector, with what src/search/text.ts puts behind each field. */
const vector = (text) => `to_tsvector('english', lower(${text}) || repeat(' /x', 8) || ' ')`;

/** The same of the body. Most of it is the same in each, and is made once. */
const bodyVector = `(to_tsvector('english', lower('${sentences}')) || ${vector(`substr(data ->> 'body', ${sentences.length + 2})`)})`;

/** The SQL of the key by which the side table has a year. */
const yearKey = `'n' || encode(set_bit(float8send((data ->> 'year')::float8), 7, 1), 'hex')`;

/**
 * Fills a channel with published articles by SQL, a second of time apart; the last number is the newest. The search vector and
 * the side table's rows are those that the service makes.
 * @param client a connection to the database
 * @param members the SQL of further columns by the number `n`: `acl`, `owner`
 */
export async function loadArticles(client, channel, count, { acl = `'{}'`, owner = 'NULL' } = {}) {
  const found = await client.query('SELECT site_id, uid FROM channels WHERE id = $1', [channel]);
  const { site_id: site, uid } = found.rows[0];
  const before = await client.query('SELECT count(*)::int AS loaded FROM entries');
  await client.query(
    `INSERT INTO entries (site_id, id, channel_uid, short_id, slug, created_at, updated_at, status, publish_at, owner, acl, data,
       title, fields_version, search)
     SELECT $4, md5($3 || ' ' || n)::uuid, $1::uuid, 'A' || lpad(to_hex(n + $5::int), 9, '0'), 'article-' || n, at, at,
       'published', at, ${owner}, ${acl}, data, data ->> 'title', 1,
       array_to_tsvector(ARRAY['@' || $1])
         || setweight(${vector(`data ->> 'title'`)}, 'A')
         || setweight(${vector(`data ->> 'country'`)}, 'B')
         || setweight(${bodyVector}, 'C')
     FROM (SELECT n, ${values} AS data,
       date_trunc('second', now()) - interval '1 minute' - ($2::int - n) * interval '1 second' AS at
       FROM generate_series(0, $2::int - 1) AS n) AS made`,
    [uid, count, channel, site, before.rows[0].loaded],
  );
  await client.query(
    `INSERT INTO entry_values (site_id, entry_id, channel_uid, field, key)
     SELECT site_id, id, channel_uid, 'year', ${yearKey} FROM entries WHERE site_id = $1 AND channel_uid = $2`,
    [site, uid],
  );
}

/**
 * Copies the articles of a channel to as many small sites, `tenant-1` and so on, each with a channel of the same id: the next
 * `perSite` articles to each.
 */
export async function spreadArticles(client, channel, sites, perSite) {
  const uid = `md5('tenant-' || t.n)::uuid`;
  await client.query(
    `INSERT INTO sites (id, name, created_at) SELECT 'tenant-' || n, 'T', now() FROM generate_series(1, $1::int) AS n`,
    [sites],
  );
  await client.query(
    `INSERT INTO change_feeds (site_id) SELECT 'tenant-' || n FROM generate_series(1, $1::int) AS n ON CONFLICT DO NOTHING`,
    [sites],
  );
  const kept = 'id,name,publishable,create_scope,read_scope,update_scope,delete_scope,title_field,language,fields';
  await client.query(
    `INSERT INTO channels (site_id, uid, ${kept}, created_at, updated_at)
     SELECT 'tenant-' || t.n, ${uid}, ${kept.replaceAll(/\w+/g, 'c.$&')}, c.created_at, c.updated_at
     FROM channels c, generate_series(1, $1::int) AS t(n) WHERE c.id = $2`,
    [sites, channel],
  );
  await client.query(
    `INSERT INTO entries (site_id, id, channel_uid, short_id, slug, created_at, updated_at, status, publish_at, acl, data, title,
       fields_version, search)
     SELECT 'tenant-' || t.n, e.id, ${uid}, e.short_id, 'article-' || e.at % $2::int, e.created_at, e.updated_at, e.status,
       e.publish_at, e.acl, e.data || jsonb_build_object('year', e.at % $2::int), e.title, 1,
       array_to_tsvector(ARRAY['@' || ${uid}]) || ts_delete(e.search, '@' || e.channel_uid)
     FROM (SELECT entries.*, substr(slug, 9)::int AS at FROM entries JOIN channels c ON c.uid = channel_uid WHERE c.id = $3) AS e,
       LATERAL (SELECT 1 + e.at / $2::int AS n) AS t
     WHERE e.at < $1::int * $2::int`,
    [sites, perSite, channel],
  );
  await client.query(
    `INSERT INTO entry_values (site_id, entry_id, channel_uid, field, key)
     SELECT site_id, id, channel_uid, 'year', ${yearKey} FROM entries WHERE site_id LIKE 'tenant-%'`,
  );
}

/** Fills a plain table with the articles of a channel, for the floor. */
export async function loadPlainTable(client, channel) {
  await client.query('CREATE SCHEMA plain');
  await client.query(
    `CREATE TABLE plain.articles (
       id uuid PRIMARY KEY DEFAULT gen_random_uuid(), short_id text, slug text, title text NOT NULL, body text, year int,
       rating float8, country text, tags jsonb, status text NOT NULL, publish_at timestamptz,
       created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now())`,
  );
  await client.query(
    `INSERT INTO plain.articles
     SELECT e.id, short_id, slug, title, data ->> 'body', (data ->> 'year')::int, (data ->> 'rating')::float8, data ->> 'country',
       data -> 'tags', status::text, publish_at, e.created_at, e.updated_at
     FROM entries e JOIN channels c ON c.site_id = e.site_id AND c.uid = e.channel_uid WHERE c.id = $1 ORDER BY publish_at`,
    [channel],
  );
  await client.query('CREATE INDEX ON plain.articles (status, publish_at DESC)');
}

/** Does some work while `entries` has only its unique indexes, and builds the others after it: for many rows that is faster. */
export async function withoutIndexes(client, work) {
  const { rows } = await client.query(
    `SELECT indexname, indexdef FROM pg_indexes
     WHERE tablename IN ('entries', 'entry_values') AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
  );
  for (const { indexname } of rows) await client.query(`DROP INDEX "${indexname}"`);
  await work();
  await client.query(`SET maintenance_work_mem = '512MB'`);
  for (const { indexdef } of rows) await client.query(indexdef);
}

// The floor that Entryway is held against: one process of `node:http` and `pg` that serves the plain table, with no token, no
// filter, no limit and no more than two headers. DATABASE_URL names the database; it tells its parent its port.
import { createServer } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const fetchOne = { name: 'fetch', text: 'SELECT * FROM plain.articles WHERE id = $1' };
const list = {
  name: 'list',
  text: `SELECT * FROM plain.articles WHERE status = 'published' ORDER BY publish_at DESC LIMIT 30`,
};
const create = {
  name: 'create',
  text: `INSERT INTO plain.articles (title, body, year, rating, country, tags, status, publish_at)
    VALUES ($1, $2, $3, $4, $5, $6, 'published', now()) RETURNING *`,
};

/** Answers a request of the three kinds that there are. */
async function answer(request) {
  if (request.method === 'POST') {
    const { title, body, year, rating, country, tags } = JSON.parse(await readBody(request));
    const values = [title, body, year, rating, country, JSON.stringify(tags)];
    return { status: 201, value: (await pool.query({ ...create, values })).rows[0] };
  }
  if (request.url === '/articles') return { status: 200, value: (await pool.query(list)).rows };
  const { rows } = await pool.query({ ...fetchOne, values: [request.url.slice('/articles/'.length)] });
  return rows.length === 0 ? { status: 404, value: null } : { status: 200, value: rows[0] };
}

function readBody(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

const server = createServer((request, response) => {
  answer(request)
    .catch((error) => ({ status: 500, value: error.message }))
    .then(({ status, value }) => {
      const body = Buffer.from(JSON.stringify(value));
      response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
      response.end(body);
    });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.once('disconnect', () => process.exit());

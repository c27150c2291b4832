// What bench/citus.mjs asks of one of several sites: each request is for any of them.
import { newArticle } from './content.mjs';

const any = (list) => list[Math.floor(Math.random() * list.length)];
const path = '/channels/articles/entries';
const read = ({ tokens }) => ({ Authorization: `Bearer ${tokens.public}` });
const write = (method, to, { tokens }) => ({
  method,
  path: to,
  headers: { Authorization: `Bearer ${tokens.master}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ ...newArticle(), ...(method === 'POST' && { _status: 'published' }) }),
});

/** A request of one site. @returns the site's id beside it */
const ofAny =
  (make) =>
  ({ sites }) =>
    make(any(sites));

export const siteCells = [
  { name: 'fetch', request: ofAny((site) => ({ path: `${path}/${any(site.ids)}`, headers: read(site) })) },
  { name: 'list', request: ofAny((site) => ({ path, headers: { ...read(site), Prefer: 'count=none' } })) },
  { name: 'create', request: ofAny((site) => write('POST', path, site)) },
  { name: 'update', request: ofAny((site) => write('PATCH', `${path}/${any(site.ids)}`, site)) },
];

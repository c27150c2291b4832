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

/** How many requests were made for one site after the other, by the service's URL. */
const turns = new Map();

/** The site whose turn it is. */
function next(sites, url) {
  const turn = (turns.get(url) ?? 0) + 1;
  turns.set(url, turn);
  return sites[turn % sites.length];
}

/** A request of any site; or of one after the other, so that no cache remembers the site when its turn comes again. */
const ofAny =
  (make) =>
  ({ sites, isCold, url }) =>
    make(isCold ? next(sites, url) : any(sites));

export const siteCells = [
  { name: 'fetch', request: ofAny((site) => ({ path: `${path}/${any(site.ids)}`, headers: read(site) })) },
  { name: 'list', request: ofAny((site) => ({ path, headers: { ...read(site), Prefer: 'count=none' } })) },
  { name: 'create', request: ofAny((site) => write('POST', path, site)) },
  { name: 'update', request: ofAny((site) => write('PATCH', `${path}/${any(site.ids)}`, site)) },
];

// A site with something of everything that moves with it, and what its callers are answered: before and after it was moved.
import { expect } from '@jest/globals';
import { as, type Caller } from './as.ts';

const films = {
  id: 'films',
  publishable: true,
  acl: { create: 'shared', read: 'public', update: 'private', delete: 'none' },
  fields: [
    { name: 'title', type: 'string', indexed: true },
    { name: 'code', type: 'string', unique: true, pattern: '^[a-z]*$', message: 'Small letters.' },
    { name: 'year', type: 'integer', indexed: true },
    { name: 'director', type: 'reference', channel: 'people' },
  ],
};

/** The customers that the site has to have. `ada` has the role `editors`. */
export const wholeCustomers = ['ada', 'Zoë'];

async function answered<Body = { id: string }>(
  caller: Caller,
  method: string,
  path: string,
  body: unknown,
): Promise<Body> {
  const answer = await caller.rest<Body>(method, path, { body });
  expect([path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([path, answer.status, '']);
  return answer.body;
}

/** Makes channels and entries with references, access lists, schedules and versions. @returns the ids of the entries */
export async function fillWhole(master: Caller): Promise<string[]> {
  await answered(master, 'POST', '/channels', {
    id: 'people',
    acl: { read: 'shared' },
    fields: [{ name: 'name', type: 'string' }],
    titleField: 'name',
  });
  await answered(master, 'POST', '/channels', films);
  const entries: string[] = [];
  const create = async (channel: string, body: object): Promise<string> => {
    const { id } = await answered(master, 'POST', `/channels/${channel}/entries`, body);
    entries.push(id);
    return id;
  };
  const lang = await create('people', { name: 'Fritz Lang' });
  const hidden = await create('people', {
    name: 'Nobody',
    _acl: { users: { read: false }, 'role:editors': { read: true } },
  });
  const first = await create('films', {
    title: 'Metropolis',
    code: 'm',
    year: 1927,
    director: lang,
    _status: 'published',
  });
  await create('films', {
    title: 'Später Frühling',
    year: 1949,
    director: hidden,
    _status: 'published',
    _owner: 'ada',
  });
  await create('films', { title: 'To come', _status: 'scheduled', _publish_at: '2999-01-01T00:00:00.000Z' });
  await create('films', {
    title: 'Draft',
    _status: 'draft',
    _acl: { ada: { read: true, update: true }, '*': { read: false } },
  });
  await answered(master, 'PATCH', `/channels/films/entries/${first}`, { year: 1926 });
  await answered(master, 'PATCH', `/channels/films/entries/${first}`, { year: 1927 });
  // A field that goes keeps its values.
  await answered(master, 'PATCH', '/channels/films', { fields: films.fields.filter(({ name }) => name !== 'code') });
  await answered(master, 'PATCH', '/channels/films', { fields: films.fields });
  return entries;
}

/**
 * What callers of each kind are answered: with the master's token, with the public one, and as each customer.
 * @returns each path with the status, the version and the body, in which nothing depends on where it was asked
 */
export async function answersOfWhole(
  app: { readonly url: string },
  tokens: { readonly master: string; readonly public: string },
  entries: readonly string[],
): Promise<unknown[]> {
  const master = as(app, { token: tokens.master });
  const callers = [master, as(app, { token: tokens.public })];
  for (const id of wholeCustomers) {
    const path = `/customers/${encodeURIComponent(id)}/sessions`;
    const { token: session } = await answered<{ token: string }>(master, 'POST', path, {});
    callers.push(as(app, { token: tokens.public, session }));
  }
  const paths = [
    ...[
      '/channels',
      '/channels/films',
      '/channels/films/entries?include=director&sort=year',
      '/channels/people/entries',
    ],
    ...['/channels/films/entries/count', '/channels/films/entries?q=frühling', '/channels/films/entries?code=m'],
    ...['/customers', ...entries.map((id) => `/channels/films/entries/${id}`)],
  ];
  const all: unknown[] = [];
  for (const caller of callers) {
    for (const path of paths) {
      const { status, text, headers } = await caller.rest('GET', encodeURI(path));
      const body = text.replaceAll(app.url, '').replace(/"(request_id|requestId)":"[^"]*"/g, '');
      if (caller === master && !path.includes('entries/0')) expect([path, status]).toEqual([path, 200]);
      // An entity tag of an entry begins with its version.
      all.push([path, status, /^"(\d+)\./.exec(headers.get('etag') ?? '')?.[1], body]);
    }
  }
  return all;
}

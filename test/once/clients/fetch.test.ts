// Plain `fetch`: a walk over a list by its links, and an entry from the client's own copy.
import { expect, test } from '@jest/globals';
import { suiteFilms, titles } from './library.ts';

const { app, visitor } = await suiteFilms();

interface Film {
  readonly title: string;
}

/** The address behind `rel="next"`; undefined on the last page. */
function nextOf({ headers }: Response): string | undefined {
  return /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
}

test.each(['page=1&', 'cursor', ''])('a walk by Link rel="next" ends with the last entry: %s', async (begin) => {
  const list = `${app.url}/channels/films/entries?sort=year&per_page=3`;
  const first = await fetch(`${list}&${begin === 'cursor' ? '' : begin}`.replace(/&$/, ''), { headers: visitor });
  const cursor = first.headers.get('x-next-cursor');
  const start = begin === 'cursor' ? `${list}&cursor=${cursor}` : first.url;
  const seen = begin === 'cursor' ? ((await first.json()) as Film[]).map(({ title }) => title) : [];
  for (let next: string | undefined = start; next !== undefined;) {
    const page: Response = await fetch(next, { headers: visitor });
    expect(page.status).toBe(200);
    seen.push(...((await page.json()) as Film[]).map(({ title }) => title));
    next = nextOf(page);
  }
  expect(seen).toEqual(titles);
});

test('a fetch with the entity tag of an unchanged entry gets 304', async () => {
  const address = `${app.url}/channels/films/entries/film-1`;
  const first = await fetch(address, { headers: visitor });
  const tag = first.headers.get('etag') ?? '';
  const again = await fetch(address, { headers: { ...visitor, 'If-None-Match': tag } });
  expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
});

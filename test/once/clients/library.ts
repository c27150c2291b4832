// What the tests of clients share: a site with films to page through, and where its service is.
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

/** How many films there are: more than two pages of three. */
export const filmCount = 8;

/** The service with a channel of films, and what a client needs to ask there. */
export async function suiteFilms() {
  const app = await suiteApp();
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, {
    id: 'films',
    fields: [
      { name: 'title', type: 'string' },
      { name: 'year', type: 'integer' },
    ],
  });
  for (let number = 1; number <= filmCount; number += 1) {
    await buildEntry(db, channel, { slug: `film-${number}`, data: { title: `Film ${number}`, year: 1_990 + number } });
  }
  const bearer = (token: string): { Authorization: string } => ({ Authorization: `Bearer ${token}` });
  return {
    app,
    db,
    site,
    endpoint: `${app.url}/graphql`,
    visitor: bearer(site.public),
    manager: bearer(site.master),
  };
}

/** The titles of the films, in the order of their years. */
export const titles = Array.from({ length: filmCount }, (_each, index) => `Film ${index + 1}`);

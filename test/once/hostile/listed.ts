// What hostile parameters of lists are tried on: two sites with the same channels and entries.
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

/** A visitor of each site. In the channels `things` and `others`, half of the six entries have no year. */
export async function buildListed(): Promise<{ site: Caller; other: Caller }> {
  const app = await suiteApp({ RATE_LIMIT: 'off' });
  const db = app.database.prisma;
  const visitor = async (): Promise<Caller> => {
    const { id, public: token } = await buildSite(db);
    for (const name of ['things', 'others']) {
      const channel = await buildChannel(db, id, {
        id: name,
        fields: [
          { name: 'title', type: 'string' },
          { name: 'year', type: 'integer' },
          { name: 'tags', type: 'strings' },
          { name: 'extra', type: 'json' },
          { name: 'place', type: 'geo' },
          { name: 'link', type: 'file' },
          { name: 'author', type: 'reference', channel: 'things' },
          { name: 'links', type: 'references', channel: 'things' },
        ],
      });
      // `gone` was declared once.
      for (let at = 0; at < 6; at += 1) {
        const data = { title: `Tea ${at}`, ...(at % 2 === 0 && { year: at }), tags: ['tea'], gone: 'x' };
        await buildEntry(db, channel, { slug: `t-${at}`, data });
      }
    }
    return as(app, { token });
  };
  return { site: await visitor(), other: await visitor() };
}

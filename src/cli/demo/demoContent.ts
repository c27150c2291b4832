// The entries of the demo site. Each of them demonstrates a rule.
import type { Status } from '../../rules/publication.ts';

export interface SampleEntry {
  readonly hoursOld: number;
  readonly status: Status;
  /** Its publication time, in hours after the first start; absent for none. */
  readonly hoursToPublication?: number;
  readonly acl?: Record<string, { read?: boolean; update?: boolean; delete?: boolean }>;
  readonly fields: Record<string, string | number | string[]>;
  /** The slugs of the referenced entries, by field. */
  readonly references?: Record<string, string>;
}

/** The slug of the draft below. */
export const draftSlug = 'notes-on-a-harbour-in-fog';

/** The entries of a publishable channel that everybody may read. */
export const articles: readonly SampleEntry[] = [
  {
    hoursOld: 72,
    status: 'published',
    fields: {
      title: 'The Last Ferry of the Evening',
      author: 'Ines Halvorsen',
      topics: ['travel', 'sea'],
      minutes: 4,
      body:
        'At a quarter past nine the ramp comes up, and the island is on its own until six. Nobody on the quay looks at a ' +
        'watch: the sound of the chains is the time. We spent a week listening for it.',
    },
  },
  {
    hoursOld: 48,
    status: 'published',
    hoursToPublication: -24,
    fields: {
      title: 'Bread from a Cooling Oven',
      author: 'Tomasz Weller',
      topics: ['food', 'craft'],
      minutes: 6,
      body:
        'A brick oven keeps enough heat overnight to bake a second, slower loaf. The crust stays pale, the crumb stays ' +
        'moist for days, and the baker is asleep while it happens.',
    },
  },
  {
    hoursOld: 30,
    status: 'published',
    fields: {
      title: 'Why the Plane Trees Were Cut Short',
      author: 'Ines Halvorsen',
      topics: ['city', 'nature'],
      minutes: 5,
      body:
        'Every third winter the crowns along the canal are taken back to fists of old wood. It looks brutal, and it is what ' +
        'has kept the trees standing through a century of storms.',
    },
  },
  {
    // Visitors can't read it, only customers with the role (and master tokens).
    hoursOld: 20,
    status: 'published',
    acl: { '*': { read: false }, 'role:subscriber': { read: true } },
    fields: {
      title: 'The Map Room, Part One',
      author: 'Tomasz Weller',
      topics: ['history'],
      minutes: 18,
      body:
        'Behind the reading room there is a door without a handle, and behind that four thousand sheets that nobody has ' +
        'put in order since 1931. For our subscribers we went in.',
    },
  },
  {
    // It becomes visible at its time by itself: no job has to publish it.
    hoursOld: 5,
    status: 'scheduled',
    hoursToPublication: 24 * 30,
    fields: {
      title: 'A Month of Night Trains',
      author: 'Ines Halvorsen',
      topics: ['travel'],
      minutes: 12,
      body:
        'Thirty nights, nineteen borders, one good pillow. What we learned about sleeping sitting up, and which of the ' +
        'dining cars are worth staying awake for.',
    },
  },
  {
    hoursOld: 1,
    status: 'draft',
    fields: {
      title: 'Notes on a Harbour in Fog',
      author: 'Tomasz Weller',
      topics: ['sea'],
      minutes: 3,
      body: 'Opening still to be written. Check the tide tables for the second paragraph, and ask the pilot about the bell.',
    },
  },
];

/** The entries of a channel where every signed-in customer may write, and change only their own entries. */
export const comments: readonly SampleEntry[] = [
  {
    hoursOld: 40,
    status: 'published',
    fields: {
      title: 'Take the Morning Boat Too',
      article: 'the-last-ferry-of-the-evening',
      body: 'It leaves at six, and the light is worth it. Have the coffee on deck, the one below is for the engine.',
    },
  },
  {
    hoursOld: 22,
    status: 'published',
    fields: {
      title: 'It works in a gas oven',
      article: 'bread-from-a-cooling-oven',
      body: 'Heat two bricks with the oven, switch it off, and leave the loaf in until breakfast.',
    },
  },
];

// The films of the demo site, and the people who made them: entries to filter, sort, search and follow references in.
import type { FieldDefinition } from '../../fields/definition.ts';
import type { SampleEntry } from './demoContent.ts';

/** Makes a field from some settings. */
function filmField(
  name: string,
  type: FieldDefinition['type'],
  settings: Partial<Omit<FieldDefinition, 'name' | 'type'>> = {},
): FieldDefinition {
  return {
    name,
    type,
    label: null,
    hint: null,
    required: false,
    unique: false,
    indexed: false,
    default: null,
    options: null,
    channel: null,
    min: null,
    max: null,
    pattern: null,
    message: null,
    ...settings,
  };
}

const genres = ['Adventure', 'Animation', 'Crime', 'Drama', 'Horror', 'Romance', 'Science Fiction'];

/** The fields of the channel of people. */
export const peopleFields: readonly FieldDefinition[] = [
  filmField('name', 'string', { label: 'Name', required: true }),
  filmField('born', 'date', { label: 'Born', indexed: true }),
];

/** The fields of the channel of films. */
export const filmFields: readonly FieldDefinition[] = [
  filmField('title', 'string', { label: 'Title', required: true }),
  filmField('imdb', 'string', {
    label: 'IMDb',
    hint: 'The id that IMDb has for it',
    unique: true,
    pattern: '^tt[0-9]+$',
    message: 'The letters tt and digits, such as tt0017136.',
  }),
  filmField('year', 'integer', { label: 'Year', indexed: true, min: 1888 }),
  filmField('runtime', 'integer', { label: 'Runtime', hint: 'In minutes', min: 1 }),
  filmField('country', 'string', { label: 'Country' }),
  filmField('genres', 'multi_select', { label: 'Genres', options: genres }),
  filmField('cast', 'strings', { label: 'Cast' }),
  filmField('synopsis', 'text', { label: 'Synopsis' }),
  filmField('director', 'reference', { label: 'Director', channel: 'people' }),
  filmField('sequel_of', 'reference', { label: 'Sequel of', channel: 'films' }),
];

function person(hoursOld: number, name: string, born: string): SampleEntry {
  return { hoursOld, status: 'published', fields: { name, born } };
}

/** Of a channel that everybody may read. */
export const people: readonly SampleEntry[] = [
  person(99, 'Fritz Lang', '1890-12-05'),
  person(98, 'Michael Curtiz', '1886-12-24'),
  person(97, 'Akira Kurosawa', '1910-03-23'),
  person(96, 'Ridley Scott', '1937-11-30'),
  person(95, 'Jane Campion', '1954-04-30'),
  person(94, 'Steven Spielberg', '1946-12-18'),
  person(93, 'Richard Linklater', '1960-07-30'),
  person(92, 'Hayao Miyazaki', '1941-01-05'),
  person(91, 'Sofia Coppola', '1971-05-14'),
  person(90, 'Denis Villeneuve', '1967-10-03'),
];

/** The facts about a film; `director` and `sequelOf` are slugs. */
interface Film {
  readonly title: string;
  readonly imdb: string;
  readonly year: number;
  readonly runtime: number;
  readonly country: string;
  readonly genres: string[];
  readonly cast: string[];
  readonly synopsis: string;
  readonly director: string;
  readonly sequelOf?: string;
}

function film(
  hoursOld: number,
  { director, sequelOf, ...fields }: Film,
  publication: Partial<Pick<SampleEntry, 'status' | 'hoursToPublication'>> = {},
): SampleEntry {
  const references = { director, ...(sequelOf !== undefined && { sequel_of: sequelOf }) };
  return { hoursOld, status: 'published', fields, references, ...publication };
}

/** Of a publishable channel that everybody may read; the facts are real. */
export const films: readonly SampleEntry[] = [
  film(80, {
    title: 'Metropolis',
    imdb: 'tt0017136',
    year: 1927,
    runtime: 153,
    country: 'Germany',
    genres: ['Drama', 'Science Fiction'],
    cast: ['Brigitte Helm', 'Alfred Abel', 'Gustav Fröhlich'],
    director: 'fritz-lang',
    synopsis:
      'The son of a city’s master goes down to the workers who keep it running, and follows a preacher among them.',
  }),
  film(
    79,
    {
      title: 'M',
      imdb: 'tt0022100',
      year: 1931,
      runtime: 111,
      country: 'Germany',
      genres: ['Crime', 'Drama'],
      cast: ['Peter Lorre', 'Otto Wernicke', 'Gustaf Gründgens'],
      director: 'fritz-lang',
      synopsis: 'Berlin’s police and Berlin’s underworld both hunt a murderer of children.',
    },
    { status: 'draft' },
  ),
  film(78, {
    title: 'Casablanca',
    imdb: 'tt0034583',
    year: 1942,
    runtime: 102,
    country: 'United States',
    genres: ['Drama', 'Romance'],
    cast: ['Humphrey Bogart', 'Ingrid Bergman', 'Paul Henreid'],
    director: 'michael-curtiz',
    synopsis: 'The owner of a café in wartime Morocco meets a lost love again, and holds the papers that she needs.',
  }),
  film(77, {
    title: 'Seven Samurai',
    imdb: 'tt0047478',
    year: 1954,
    runtime: 207,
    country: 'Japan',
    genres: ['Adventure', 'Drama'],
    cast: ['Toshiro Mifune', 'Takashi Shimura', 'Keiko Tsushima'],
    director: 'akira-kurosawa',
    synopsis: 'Farmers who are robbed at every harvest hire seven masterless swordsmen to defend their village.',
  }),
  film(76, {
    title: 'Alien',
    imdb: 'tt0078748',
    year: 1979,
    runtime: 117,
    country: 'United Kingdom',
    genres: ['Horror', 'Science Fiction'],
    cast: ['Sigourney Weaver', 'Tom Skerritt', 'John Hurt'],
    director: 'ridley-scott',
    synopsis: 'The crew of a freighter answers a signal from a moon, and brings something back aboard.',
  }),
  film(75, {
    title: 'Blade Runner',
    imdb: 'tt0083658',
    year: 1982,
    runtime: 117,
    country: 'United States',
    genres: ['Drama', 'Science Fiction'],
    cast: ['Harrison Ford', 'Rutger Hauer', 'Sean Young'],
    director: 'ridley-scott',
    synopsis: 'A retired policeman is to find four replicants who came back to Earth for more life.',
  }),
  film(74, {
    title: 'The Piano',
    imdb: 'tt0107822',
    year: 1993,
    runtime: 117,
    country: 'New Zealand',
    genres: ['Drama', 'Romance'],
    cast: ['Holly Hunter', 'Harvey Keitel', 'Sam Neill', 'Anna Paquin'],
    director: 'jane-campion',
    synopsis: 'A woman who does not speak is married off to New Zealand, and her piano stays behind on the beach.',
  }),
  film(73, {
    title: 'Jurassic Park',
    imdb: 'tt0107290',
    year: 1993,
    runtime: 127,
    country: 'United States',
    genres: ['Adventure', 'Science Fiction'],
    cast: ['Sam Neill', 'Laura Dern', 'Jeff Goldblum'],
    director: 'steven-spielberg',
    synopsis: 'The first guests of a park with living dinosaurs are there when its fences lose their power.',
  }),
  film(72, {
    title: 'The Lost World: Jurassic Park',
    imdb: 'tt0119567',
    year: 1997,
    runtime: 129,
    country: 'United States',
    genres: ['Adventure', 'Science Fiction'],
    cast: ['Jeff Goldblum', 'Julianne Moore', 'Pete Postlethwaite'],
    director: 'steven-spielberg',
    sequelOf: 'jurassic-park',
    synopsis: 'Two parties land on the second island: one to study the dinosaurs, the other to ship them home.',
  }),
  film(71, {
    title: 'Before Sunrise',
    imdb: 'tt0112471',
    year: 1995,
    runtime: 101,
    country: 'United States',
    genres: ['Drama', 'Romance'],
    cast: ['Ethan Hawke', 'Julie Delpy'],
    director: 'richard-linklater',
    synopsis: 'Two strangers leave a train in Vienna, and talk until the next one goes.',
  }),
  film(70, {
    title: 'Before Sunset',
    imdb: 'tt0381681',
    year: 2004,
    runtime: 80,
    country: 'United States',
    genres: ['Drama', 'Romance'],
    cast: ['Ethan Hawke', 'Julie Delpy'],
    director: 'richard-linklater',
    sequelOf: 'before-sunrise',
    synopsis: 'Nine years later they meet in a bookshop in Paris, and he has a plane to catch.',
  }),
  film(69, {
    title: 'Spirited Away',
    imdb: 'tt0245429',
    year: 2001,
    runtime: 125,
    country: 'Japan',
    genres: ['Adventure', 'Animation'],
    cast: ['Rumi Hiiragi', 'Miyu Irino', 'Mari Natsuki'],
    director: 'hayao-miyazaki',
    synopsis: 'A girl takes work in a bathhouse for spirits to win her parents back.',
  }),
  film(68, {
    title: 'Lost in Translation',
    imdb: 'tt0335266',
    year: 2003,
    runtime: 102,
    country: 'United States',
    genres: ['Drama', 'Romance'],
    cast: ['Bill Murray', 'Scarlett Johansson'],
    director: 'sofia-coppola',
    synopsis: 'An actor and a young woman, neither of whom can sleep, keep each other company in a hotel in Tokyo.',
  }),
  film(67, {
    title: 'Blade Runner 2049',
    imdb: 'tt1856101',
    year: 2017,
    runtime: 163,
    country: 'United States',
    genres: ['Drama', 'Science Fiction'],
    cast: ['Ryan Gosling', 'Harrison Ford', 'Ana de Armas'],
    director: 'denis-villeneuve',
    sequelOf: 'blade-runner',
    synopsis: 'A replicant who hunts replicants finds a trace of a child that should not exist.',
  }),
  film(
    66,
    {
      title: 'Arrival',
      imdb: 'tt2543164',
      year: 2016,
      runtime: 116,
      country: 'United States',
      genres: ['Drama', 'Science Fiction'],
      cast: ['Amy Adams', 'Jeremy Renner', 'Forest Whitaker'],
      director: 'denis-villeneuve',
      synopsis: 'A linguist is to find out what the visitors in twelve vessels want.',
    },
    { status: 'draft' },
  ),
  film(65, {
    title: 'Dune',
    imdb: 'tt1160419',
    year: 2021,
    runtime: 155,
    country: 'United States',
    genres: ['Adventure', 'Science Fiction'],
    cast: ['Timothée Chalamet', 'Rebecca Ferguson', 'Oscar Isaac'],
    director: 'denis-villeneuve',
    synopsis: 'A young heir follows his father to a desert planet whose spice everybody wants.',
  }),
  film(
    64,
    {
      title: 'Dune: Part Two',
      imdb: 'tt15239678',
      year: 2024,
      runtime: 166,
      country: 'United States',
      genres: ['Adventure', 'Science Fiction'],
      cast: ['Timothée Chalamet', 'Zendaya', 'Rebecca Ferguson'],
      director: 'denis-villeneuve',
      sequelOf: 'dune',
      synopsis: 'The heir lives among the people of the desert, and rides against those who destroyed his house.',
    },
    { status: 'scheduled', hoursToPublication: 24 * 30 },
  ),
];

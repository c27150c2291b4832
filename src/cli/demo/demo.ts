// The demo site that a first start on an empty embedded database creates. Its entries demonstrate each rule.
import { definitionsJson } from '../../fields/definitionsJson.ts';
import { v7 as uuidv7 } from 'uuid';
import { linkLifetime } from '../../features/signIn/links/createLink.ts';
import { mintToken } from '../../auth/tokens.ts';
import { statementsWithin } from '../../database/statements.ts';
import { blankMembers } from '../../entries/members.ts';
import { entriesOn } from '../../entries/model.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { storeAuditRecords } from '../../resolvers/auditRecords.ts';
import { serviceActor } from '../../rules/author.ts';
import type { DatabaseClient } from '../../database/client.ts';
import { deriveEntry } from '../../features/rebuilds/rebuilds.ts';
import type { EntryDraft, EntryValues } from '../../entries/draft.ts';
import { newShortId } from '../../resolvers/entries/names.ts';
import { slugCandidates } from '../../rules/names.ts';
import { entryTitle } from '../../fields/stored.ts';
import { changedBy } from '../../management/channels/columns.ts';
import { auditSite } from '../../management/auditedMembers.ts';
import { articles, comments, type SampleEntry } from './demoContent.ts';
import { filmFields, films, people, peopleFields } from './demoFilms.ts';

export interface DemoSite {
  readonly site: string;
  /** The email address of the site's member, who has the user token. */
  readonly user: string;
}

export interface Demo extends DemoSite {
  /** The tokens to send in requests, by kind. */
  readonly tokens: { readonly master: string; readonly public: string; readonly user: string };
  /** The token of a link by which the user sets a password, and signs in to the console; null where nobody signs in. */
  readonly link: string | null;
}

/** A demo site; its tokens and its link are null if it has none, because the output would have been kept. */
export type MadeDemo = DemoSite & { readonly tokens: Demo['tokens'] | null; readonly link: string | null };

const demoSite = 'demo';
const demoEmail = 'demo@example.com';
const titleField = 'title';

/**
 * Creates the demo site with a token of each kind, as `createDemoSite` does, and a link for its user. The tokens and the link have to be
 * shown: they are not stored.
 * @param signsIn whether the service has the paths by which people sign in
 * @returns null if there are sites
 */
export async function createDemo(prisma: DatabaseClient, signsIn = true): Promise<Demo | null> {
  const tokens = { master: mintToken('master'), public: mintToken('public'), user: mintToken('user') };
  const link = signsIn ? mintToken('link') : null;
  const made = await createDemoSite(prisma, { ...tokens, link });
  if (made === null) return null;
  const shown = { master: tokens.master.token, public: tokens.public.token, user: tokens.user.token };
  return { ...made, tokens: shown, link: link?.token ?? null };
}

/**
 * Creates the demo site of a first start. It has tokens only if these are shown to the person who started the service:
 * a log is kept, and other people read it.
 * @param output whether DEMO=on asks for the tokens, whether standard output is a terminal, and whether people can sign in
 * @param begin called before the site is created
 * @returns null if there are sites
 */
export async function makeDemo(
  prisma: DatabaseClient,
  {
    wantsTokens,
    isTerminal,
    signsIn,
  }: { readonly wantsTokens: boolean; readonly isTerminal: boolean; readonly signsIn: boolean },
  begin: () => void,
): Promise<MadeDemo | null> {
  if ((await prisma.site.findFirst({ select: { id: true } })) !== null) return null;
  begin();
  if (wantsTokens || isTerminal) return createDemo(prisma, signsIn);
  const made = await createDemoSite(prisma, null);
  return made && { ...made, tokens: null, link: null };
}

type Minted = ReturnType<typeof mintToken>;
type MintedTokens = Readonly<Record<'master' | 'public' | 'user', Minted>> & { readonly link: Minted | null };

/**
 * Creates the demo site if there are no sites yet, in one transaction, so that a process that dies leaves nothing
 * behind.
 * @param tokens the tokens to store; null for none
 * @returns null if there are sites
 */
async function createDemoSite(prisma: DatabaseClient, tokens: MintedTokens | null): Promise<DemoSite | null> {
  if ((await prisma.site.findFirst({ select: { id: true } })) !== null) return null;
  const now = new Date();
  // A command may have created the user earlier.
  const existingUser = await prisma.user.findUnique({ where: { email: demoEmail }, select: { id: true } });
  const userId = existingUser?.id ?? uuidv7();
  const content = contentOf(now);
  await prisma.$transaction(async (db) => {
    await db.site.create({ data: { id: demoSite, name: 'Demo', createdAt: now } });
    if (!existingUser) await db.user.create({ data: { id: userId, email: demoEmail, name: 'Demo', createdAt: now } });
    await db.membership.create({ data: { siteId: demoSite, userId, roles: ['owner'], createdAt: now } });
    if (tokens !== null) await db.token.createMany({ data: tokenRows(tokens, userId, now) });
    if (tokens?.link) {
      // The user's token is printed with the link, and goes on when the password is set.
      const data = { userId, hash: tokens.link.hash, keepTokens: true, keepLinks: false, createdAt: now };
      await db.userLink.deleteMany({ where: { userId } });
      await db.userLink.create({ data: { ...data, expiresAt: new Date(now.getTime() + linkLifetime) } });
    }
    await store(db, content);
    const change = { siteId: demoSite, type: 'site', subject: demoSite, action: 'created', before: null } as const;
    const request = { actor: serviceActor, now, requestId: '', address: '' };
    await storeAuditRecords(db, [{ ...change, after: auditSite({ name: 'Demo' }) }], request);
  });
  return { site: demoSite, user: demoEmail };
}

function tokenRows(tokens: MintedTokens, userId: string, createdAt: Date): Prisma.TokenCreateManyInput[] {
  const named = { name: 'demo', createdAt };
  return [
    { id: uuidv7(), kind: 'master', siteId: demoSite, hash: tokens.master.hash, ...named },
    { id: uuidv7(), kind: 'public', siteId: demoSite, hash: tokens.public.hash, ...named },
    { id: uuidv7(), kind: 'user', userId, hash: tokens.user.hash, ...named },
  ];
}

interface Content {
  readonly channels: Prisma.ChannelCreateManyInput[];
  readonly entries: DemoEntry[];
  readonly customer: Prisma.CustomerCreateManyInput;
}

/** An entry without derived values. */
interface DemoEntry extends Omit<EntryDraft, 'values'> {
  readonly channelUid: string;
  readonly createdAt: Date;
  readonly values: Omit<EntryValues, 'data' | 'kept' | 'title' | 'indexed' | 'searched'>;
  readonly data: Record<string, string | number | string[]>;
}

/** Stores the content as the API would, with everything that is derived from the values of entries. */
async function store(db: Prisma.TransactionClient, { channels, entries, customer }: Content): Promise<void> {
  await db.customer.create({ data: customer });
  await db.channel.createMany({ data: channels });
  for (const channel of await db.channel.findMany({ where: { siteId: demoSite } })) {
    for (const entry of entries.filter(({ channelUid }) => channelUid === channel.uid)) {
      const { id, shortId, createdAt, data } = entry;
      const {
        id: _id,
        version: _version,
        ...derived
      } = deriveEntry({ id, data, version: 1, kept: {}, fieldsVersion: 0 }, channel);
      const draft = { id, shortId, values: { ...entry.values, ...derived } };
      const [written] = await entriesOn(statementsWithin(db)).insertDrafts(channel, [draft], {
        actor: serviceActor,
        now: createdAt,
      });
      if (typeof written !== 'object' || 'taken' in written)
        throw new Error(`The entry ${entry.values.slug} was not stored.`);
    }
  }
}

function contentOf(now: Date): Content {
  const times = { createdAt: now, updatedAt: now };
  const customer = {
    siteId: demoSite,
    id: uuidv7(),
    name: 'Robin',
    email: 'robin@example.com',
    roles: ['subscriber'],
    ...times,
  };
  const standing = { siteId: demoSite, language: 'english', changedBy: changedBy(serviceActor, 1), ...times };
  const readOnly = { readScope: 'public', createScope: 'none', updateScope: 'none', deleteScope: 'none' } as const;
  const byCustomers = { ...readOnly, createScope: 'shared', updateScope: 'private', deleteScope: 'private' } as const;
  const settings = [
    { id: 'articles', name: 'Articles', publishable: true, ...readOnly },
    { id: 'comments', name: 'Comments', publishable: false, ...byCustomers },
    {
      id: 'people',
      name: 'People',
      publishable: false,
      titleField: 'name',
      fields: definitionsJson(peopleFields),
      ...readOnly,
    },
    { id: 'films', name: 'Films', publishable: true, fields: definitionsJson(filmFields), ...readOnly },
  ];
  const channels = settings.map((each) => ({ titleField, ...standing, ...each, uid: uuidv7() }));
  const samples = { articles, comments, people, films };
  const owners: Record<string, string> = { comments: customer.id };
  const entries = channels.flatMap(({ uid, id, titleField: titled }) =>
    samples[id as keyof typeof samples].map((sample) => ({
      sample,
      entry: entryOf(sample, { uid, titleField: titled }, owners[id] ?? null, now),
    })),
  );
  // Samples refer to entries by their slugs alone, whatever the channel.
  const ids = new Map(entries.map(({ entry }) => [entry.values.slug, entry.id]));
  return { customer, channels, entries: entries.map(({ sample, entry }) => withReferences(entry, sample, ids)) };
}

/** The entry with its references as they are stored: by the ids of their entries. */
function withReferences(entry: DemoEntry, sample: SampleEntry, ids: ReadonlyMap<string, string>): DemoEntry {
  const references = Object.entries(sample.references ?? {}).map(([field, slug]) => {
    const id = ids.get(slug);
    if (id === undefined) throw new Error(`The demo has no entry ${slug}.`);
    return [field, id] as const;
  });
  return { ...entry, data: { ...entry.data, ...Object.fromEntries(references) } };
}

interface EntryChannel {
  readonly uid: string;
  readonly titleField: string;
}

function entryOf(
  sample: SampleEntry,
  { uid, titleField: titled }: EntryChannel,
  owner: string | null,
  now: Date,
): DemoEntry {
  const hour = 3_600_000;
  const createdAt = new Date(now.getTime() - sample.hoursOld * hour);
  const title = entryTitle(sample.fields, { titleField: titled, fields: [] });
  const hoursToPublication = sample.hoursToPublication;
  return {
    id: uuidv7({ msecs: createdAt.getTime() }),
    channelUid: uid,
    shortId: newShortId(),
    createdAt,
    values: {
      ...blankMembers,
      slug: slugCandidates(title)[0] ?? 'entry',
      status: sample.status,
      publishAt: hoursToPublication === undefined ? null : new Date(now.getTime() + hoursToPublication * hour),
      owner,
      acl: sample.acl ?? {},
    },
    data: sample.fields,
  };
}

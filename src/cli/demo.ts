// The demo site that a first start on an empty embedded database makes: something to try every rule on.
import { v7 as uuidv7 } from 'uuid';
import { mintToken } from '../auth/token.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { newShortId } from '../resolvers/shortId.ts';
import { slugCandidates } from '../rules/slug.ts';
import { titleOf } from '../serializers/entry.ts';
import { articles, comments, type Sample } from './demoContent.ts';

export interface Demo {
  readonly site: string;
  /** The email address of the user whose the user token is. */
  readonly user: string;
  /** What to send in requests, by kind. */
  readonly tokens: { readonly master: string; readonly public: string; readonly user: string };
}

const siteId = 'demo';
const email = 'demo@example.com';
const titleField = 'title';

/**
 * Makes the demo site where there are no sites yet, all of it or, where the process dies, nothing.
 * @returns null where there are sites
 */
export async function createDemo(prisma: PrismaClient): Promise<Demo | null> {
  if ((await prisma.site.findFirst({ select: { id: true } })) !== null) return null;
  const now = new Date();
  const tokens = { master: mintToken('master'), public: mintToken('public'), user: mintToken('user') };
  // The command line may have made the user before.
  const known = await prisma.user.findUnique({ where: { email }, select: { id: true } });
  const userId = known?.id ?? uuidv7();
  const { channels, entries, customer } = content(now);
  const named = { name: 'demo', createdAt: now };
  await prisma.$transaction([
    prisma.site.create({ data: { id: siteId, name: 'Demo', createdAt: now } }),
    ...(known ? [] : [prisma.user.create({ data: { id: userId, email, name: 'Demo', createdAt: now } })]),
    prisma.membership.create({ data: { siteId, userId, createdAt: now } }),
    prisma.token.createMany({
      data: [
        { id: uuidv7(), kind: 'master', siteId, hash: tokens.master.hash, ...named },
        { id: uuidv7(), kind: 'public', siteId, hash: tokens.public.hash, ...named },
        { id: uuidv7(), kind: 'user', userId, hash: tokens.user.hash, ...named },
      ],
    }),
    prisma.customer.create({ data: customer }),
    prisma.channel.createMany({ data: channels }),
    prisma.entry.createMany({ data: entries }),
  ]);
  return {
    site: siteId,
    user: email,
    tokens: { master: tokens.master.token, public: tokens.public.token, user: tokens.user.token },
  };
}

interface Content {
  readonly channels: Prisma.ChannelCreateManyInput[];
  readonly entries: Prisma.EntryCreateManyInput[];
  readonly customer: Prisma.CustomerCreateManyInput;
}

function content(now: Date): Content {
  const times = { createdAt: now, updatedAt: now };
  const customer = { siteId, id: uuidv7(), name: 'Robin', email: 'robin@example.com', roles: ['subscriber'], ...times };
  const standing = { siteId, titleField, language: 'english', ...times };
  const articlesUid = uuidv7();
  const commentsUid = uuidv7();
  return {
    customer,
    channels: [
      {
        ...standing,
        ...{ uid: articlesUid, id: 'articles', name: 'Articles', publishable: true },
        ...{ readScope: 'public', createScope: 'none', updateScope: 'none', deleteScope: 'none' },
      },
      {
        ...standing,
        ...{ uid: commentsUid, id: 'comments', name: 'Comments', publishable: false },
        ...{ readScope: 'public', createScope: 'shared', updateScope: 'private', deleteScope: 'private' },
      },
    ],
    entries: [
      ...articles.map((sample) => entry(sample, articlesUid, null, now)),
      ...comments.map((sample) => entry(sample, commentsUid, customer.id, now)),
    ],
  };
}

function entry(sample: Sample, channelUid: string, owner: string | null, now: Date): Prisma.EntryCreateManyInput {
  const hour = 3_600_000;
  const createdAt = new Date(now.getTime() - sample.hoursOld * hour);
  const title = titleOf(sample.fields, { titleField, fields: [] });
  return {
    siteId,
    id: uuidv7({ msecs: createdAt.getTime() }),
    channelUid,
    shortId: newShortId(),
    slug: slugCandidates(title)[0] ?? 'entry',
    version: 1,
    fieldsVersion: 1,
    createdAt,
    updatedAt: createdAt,
    status: sample.status,
    publishAt:
      sample.hoursToPublication === undefined ? null : new Date(now.getTime() + sample.hoursToPublication * hour),
    owner,
    acl: sample.acl ?? {},
    data: sample.fields,
    title,
  };
}

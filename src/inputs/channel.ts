// The settings of a channel, checked: every error of an input in one refusal (docs/contract.md §1, §3, §6). Management is
// GraphQL's alone, so errors name members as GraphQL does.
import { z } from 'zod';
import type { FieldDefinition } from '../fields/definition.ts';
import type { ChannelInput, ChannelPatch } from '../generated/graphql/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { parseInput } from './check.ts';
import { fieldsInput } from './field.ts';
import { handleShape, isHandle } from './handle.ts';
import { isFixedField } from './payload.ts';

/** What a caller sets of a channel, as it is stored. */
export type ChannelSettings = Pick<
  Channel,
  | 'name'
  | 'description'
  | 'publishable'
  | 'createScope'
  | 'readScope'
  | 'updateScope'
  | 'deleteScope'
  | 'titleField'
  | 'language'
> & { fields: readonly FieldDefinition[] };

/** The text search configurations that PostgreSQL 15, the oldest server that we run on, brings along. */
export const languages = [
  ...['arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek'],
  ...['hindi', 'hungarian', 'indonesian', 'irish', 'italian', 'lithuanian', 'nepali', 'norwegian', 'portuguese'],
  ...['romanian', 'russian', 'serbian', 'simple', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish'],
] as const;

/** GraphQL holds inputs to their types, so that null is the only value of another one. */
const notNull = 'must not be null';

const scope = z.enum(['public', 'shared', 'private', 'none']).nullish();

const settings = {
  name: z.string(notNull).max(255, 'has at most 255 characters'),
  description: z.string().max(10_000, 'has at most 10,000 characters').nullable(),
  publishable: z.boolean(notNull),
  acl: z.object({ create: scope, read: scope, update: scope, delete: scope }, notNull),
  titleField: z
    .string(notNull)
    .min(1, 'must not be empty')
    .max(255, 'has at most 255 characters')
    .refine(isCustomField, 'must name a custom field: no fixed one, and not beginning with "_"'),
  language: z
    .string(notNull)
    .refine((name) => (languages as readonly string[]).includes(name), `must be one of ${languages.join(', ')}`),
};

const newChannel = z.object({
  id: z.string().refine(isHandle, handleShape),
  name: settings.name.nullish(),
  description: settings.description.optional(),
  publishable: settings.publishable.nullish(),
  acl: settings.acl.nullish(),
  titleField: settings.titleField.nullish(),
  language: settings.language.nullish(),
  fields: fieldsInput.nullish(),
});

const channelPatch = z.object({ ...settings, fields: fieldsInput }).partial();

/**
 * A new channel's id and settings; absent and null ones get their defaults.
 * @throws validation_failed with every error of the input
 */
export function checkNewChannel(input: ChannelInput): ChannelSettings & { id: string } {
  const { id, acl, ...checked } = parseInput(newChannel, input);
  return {
    id,
    name: checked.name ?? id,
    description: checked.description ?? null,
    publishable: checked.publishable ?? false,
    createScope: acl?.create ?? 'none',
    readScope: acl?.read ?? 'public',
    updateScope: acl?.update ?? 'none',
    deleteScope: acl?.delete ?? 'none',
    titleField: checked.titleField ?? 'title',
    language: checked.language ?? 'english',
    fields: checked.fields ?? [],
  };
}

/**
 * The settings that a patch sets. Null clears the description and leaves an action's scope as it is.
 * @throws validation_failed with every error of the input, null for any other member among them
 */
export function checkChannelPatch(input: ChannelPatch): Partial<ChannelSettings> {
  const { acl, ...rest } = parseInput(channelPatch, input);
  const set = {
    ...rest,
    createScope: acl?.create ?? undefined,
    readScope: acl?.read ?? undefined,
    updateScope: acl?.update ?? undefined,
    deleteScope: acl?.delete ?? undefined,
  };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

function isCustomField(name: string): boolean {
  return !name.startsWith('_') && !isFixedField(name);
}

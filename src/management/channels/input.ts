// Checks the settings of a channel: one refusal has all errors of an input (docs/contract.md §1, §3, §6). Both doors
// use the same names of settings.
import { z } from 'zod';
import { isFixedField } from '../../entries/members.ts';
import { enums } from '../../base/enums.ts';
import { failValidation } from '../../base/errors.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { lineOfText, upTo } from '../../fields/text.ts';
import type { ChannelInput, ChannelPatch } from '../../generated/graphql/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { fieldsInput } from './fieldInput.ts';
import { hasFiniteNumbers, isObject, unstorableNumber } from '../../inputs/json.ts';
import { inEitherCase, parseSent, wrongType, type Sent } from '../../inputs/sent.ts';
import { restChannelNames } from '../../rules/channelNames.ts';
import { handleRule, isHandle } from '../../rules/names.ts';

/** The settable settings of a channel, in the form in which they are stored. */
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
  | 'typeName'
> & {
  fields: readonly FieldDefinition[];
  /** The layout of a form of its entries, which the service does not look into; null if it is not set. */
  layout: Readonly<Record<string, unknown>> | null;
};

/** The text search configurations of PostgreSQL 15, the oldest supported version. */
export const languages = [
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'greek',
  'hindi',
  'hungarian',
  'indonesian',
  'irish',
  'italian',
  'lithuanian',
  'nepali',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'serbian',
  'simple',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
  'yiddish',
] as const;

const scopeInput = inEitherCase(z.enum(enums.ChannelScope)).nullish();
const textSetting = z.string(wrongType('text'));

const channelMembers = {
  name: upTo(lineOfText(wrongType('text')), 255),
  description: upTo(textSetting, 10_000).nullable(),
  publishable: z.boolean(wrongType('true or false')),
  acl: z.strictObject(
    { create: scopeInput, read: scopeInput, update: scopeInput, delete: scopeInput },
    wrongType('an object'),
  ),
  titleField: upTo(textSetting, 255)
    .min(1, 'must not be empty')
    .refine(isCustomField, 'must name a custom field: not a fixed one, and not one that begins with "_"'),
  language: textSetting.refine((name) => (languages as readonly string[]).includes(name), {
    error: ({ input }) =>
      `must be one of ${languages.join(', ')}${didYouMean(nearestName(String(input), languages), '')}`,
  }),
  typeName: textSetting
    .regex(
      /^[A-Z][A-Za-z0-9]{0,62}$/,
      'must begin with a capital and have only letters and digits of ASCII, at most 63',
    )
    .nullable(),
};

/** Maximum size of a layout, in bytes of its JSON. */
export const maxLayoutBytes = 16_384;

/** The schema of a layout: any JSON object that is not too large. */
export const layoutInput = z
  .custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
  .refine(hasFiniteNumbers, { message: unstorableNumber, params: { code: 'out_of_range' } })
  .refine((layout) => Buffer.byteLength(JSON.stringify(layout)) <= maxLayoutBytes, {
    message: `must have at most ${maxLayoutBytes.toLocaleString('en')} bytes as JSON`,
    params: { code: 'too_large' },
  })
  .nullable();

/** The schema of a new channel. */
export const newChannelInput = z.object({
  id: textSetting.refine(isHandle, handleRule),
  name: channelMembers.name.nullish(),
  description: channelMembers.description.optional(),
  publishable: channelMembers.publishable.nullish(),
  acl: channelMembers.acl.nullish(),
  titleField: channelMembers.titleField.nullish(),
  language: channelMembers.language.nullish(),
  typeName: channelMembers.typeName.optional(),
  layout: layoutInput.optional(),
  fields: fieldsInput.nullish(),
});

/** The schema of a patch of a channel. */
export const channelPatchInput = z.object({ ...channelMembers, layout: layoutInput, fields: fieldsInput }).partial();

/** The members of a body of REST. */
export const ofChannels = { names: restChannelNames, takesOlderNames: true };

/**
 * Checks a new channel's id and settings; absent and null ones get their defaults.
 * @throws validation_failed with every error of the input
 */
export function checkNewChannel(sent: Sent<ChannelInput>): ChannelSettings & { id: string } {
  const { id, acl, ...checked } = parseSent(newChannelInput, sent, ofChannels);
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
    typeName: checked.typeName ?? null,
    layout: checked.layout ?? null,
    fields: checked.fields ?? [],
  };
}

/**
 * Checks the settings that a patch sets. Null clears the description, the name of the type and the layout, and leaves an action's
 * scope unchanged; a merge patch, which would remove the required scope, is refused.
 * @throws validation_failed with every error of the input, null for any other member among them
 */
export function checkChannelPatch(sent: Sent<ChannelPatch>): Partial<ChannelSettings> {
  const { acl, ...rest } = parseSent(channelPatchInput, sent, { ...ofChannels, readOnly: ['id'] });
  if ('merges' in sent && sent.merges) refuseRemovedScopes(acl ?? {});
  const set = {
    ...rest,
    createScope: acl?.create ?? undefined,
    readScope: acl?.read ?? undefined,
    updateScope: acl?.update ?? undefined,
    deleteScope: acl?.delete ?? undefined,
  };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

/** @throws validation_failed for an action whose scope is null */
function refuseRemovedScopes(acl: object): void {
  const removed = Object.entries(acl).filter(([, scope]) => scope === null);
  if (removed.length === 0) return;
  failValidation(removed.map(([name]) => ({ field: 'acl', code: 'invalid', message: `${name}: must not be null` })));
}

function isCustomField(name: string): boolean {
  return !name.startsWith('_') && !isFixedField(name);
}

// Checks the settings of a webhook: all errors of an input come in one refusal (docs/contract.md §9).
import { z } from 'zod';
import { enums } from '../../base/enums.ts';
import type { WebhookInput, WebhookPatch } from '../../generated/graphql/types.ts';
import type { Webhook } from '../../generated/prisma/client.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { isHandle } from '../../rules/names.ts';
import { changeTypes } from '../changes/input.ts';
import { inEitherCase, parseSent, wrongType, type Sent } from '../../inputs/sent.ts';

/** The settings that callers can set. Without types or channels: all of them. */
export type WebhookSettings = Pick<Webhook, 'url' | 'types' | 'channels' | 'audience' | 'enabled'>;

const maxUrlLength = 2_048;
const maxNamedChannels = 100;

const url = z
  .string(wrongType('text'))
  .max(maxUrlLength, `must have at most ${maxUrlLength} characters`)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
    error: 'must be an absolute URL that begins with https://',
    abort: true,
  })
  .transform((text) => new URL(text))
  .refine(({ username, password }) => username === '' && password === '', 'must not hold a user name or a password')
  .refine(({ hash }) => hash === '', 'must not have a fragment')
  .transform(({ href }) => href)
  .refine((href) => href.length <= maxUrlLength, `must have at most ${maxUrlLength} characters`);

const type = z.string().refine((name) => (changeTypes as readonly string[]).includes(name), {
  error: ({ input }) => {
    const hint = didYouMean(nearestName(String(input), changeTypes), '');
    return `must be one of ${changeTypes.join(', ')}${hint}`;
  },
});

const unique = <Item>(items: Item[]): Item[] => [...new Set(items)];

const webhookMembers = {
  types: z
    .array(type)
    .min(1, 'must name at least one type; null stands for all')
    .max(changeTypes.length * 2, 'has too many items')
    .transform(unique)
    .nullish(),
  channels: z
    .array(z.string().refine(isHandle, 'is not the id of a channel'))
    .min(1, 'must name at least one channel; null stands for all')
    .max(maxNamedChannels, `must name at most ${maxNamedChannels} channels`)
    .transform(unique)
    .nullish(),
};

const audience = inEitherCase(z.enum(enums.WebhookAudience));
export const newWebhookInput = z.object({
  url,
  ...webhookMembers,
  audience: audience.nullish(),
  enabled: z.boolean().nullish(),
});
export const webhookPatchInput = z.object({
  url: url.optional(),
  ...webhookMembers,
  audience: audience.optional(),
  enabled: z.boolean(wrongType('true or false')).optional(),
});

/** The members that only the service sets. */
export const readOnly = ['id', 'disabled_reason', 'failing_since', 'old_secret_until', 'created_at', 'updated_at'];

/** A new webhook's settings. @throws validation_failed with every error of the input */
export function checkNewWebhook(sent: Sent<WebhookInput>): WebhookSettings {
  const settings = parseSent(newWebhookInput, sent, { readOnly });
  return {
    url: settings.url,
    types: settings.types ?? [],
    channels: settings.channels ?? [],
    audience: settings.audience ?? 'management',
    enabled: settings.enabled ?? true,
  };
}

/** The settings that a patch sets. @throws validation_failed with every error of the input */
export function checkWebhookPatch(sent: Sent<WebhookPatch>): Partial<WebhookSettings> {
  const { types, channels, ...others } = parseSent(webhookPatchInput, sent, { readOnly });
  // A member that is missing here does not compile.
  const set: { readonly [Name in keyof WebhookSettings]: WebhookSettings[Name] | undefined } = {
    url: others.url,
    types: types === null ? [] : types,
    channels: channels === null ? [] : channels,
    audience: others.audience,
    enabled: others.enabled,
  };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

/** The time for which an old secret stays valid, in seconds: a day by default, and at most 7 days. */
const defaultOverlap = 86_400;
const maxOverlap = 604_800;

export const overlapInput = z.object({
  overlapSeconds: z
    .int(`must be a whole number from 0 to ${maxOverlap}`)
    .min(0, 'must be at least 0')
    .max(maxOverlap, `must be at most ${maxOverlap}, which is 7 days`)
    .nullish(),
});

/** The seconds for which an old secret stays valid. @throws validation_failed outside 0 to 604800 */
export function checkOverlap(sent: Sent<{ overlapSeconds?: number | null | undefined }>): number {
  const { overlapSeconds } = parseSent(overlapInput, sent, { names: { overlapSeconds: 'overlap_seconds' } });
  return overlapSeconds ?? defaultOverlap;
}

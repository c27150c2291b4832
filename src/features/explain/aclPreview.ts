// Parses the settings of a channel whose effect is previewed (docs/contract.md §10.3): GraphQL's input, or texts of a
// URL.
import { fail } from '../../base/errors.ts';
import { enums } from '../../base/enums.ts';
import type { ChannelAclInput } from '../../generated/graphql/types.ts';
import { actions, type Action, type Scope } from '../../rules/access.ts';
import { readFlag } from '../../inputs/flag.ts';

export interface AclPreviewArguments {
  readonly channel: string;
  /** Absent actions keep the channel's scope. */
  readonly acl: ChannelAclInput | Readonly<Partial<Record<Action, string | undefined>>>;
  readonly publishable?: boolean | string | null | undefined;
}

/** The parameters of a URL that name scopes. */
export const scopeParameters = actions;

/** The settings that decide access; absent ones keep the channel's. */
export interface AclPreviewInput {
  readonly channel: string;
  readonly readScope?: Scope;
  readonly publishable?: boolean;
}

const scopeValues = Object.values(enums.ChannelScope);

/** @throws bad_request for an unknown scope, also for actions that do not affect visibility */
export function parseAclPreview({ channel, acl, publishable }: AclPreviewArguments): AclPreviewInput {
  const parsed = Object.fromEntries(actions.map((action) => [action, parseScope(action, acl[action])]));
  const flag = typeof publishable === 'string' ? readFlag(publishable, 'publishable') : (publishable ?? undefined);
  const { read } = parsed;
  return { channel, ...(read && { readScope: read }), ...(flag !== undefined && { publishable: flag }) };
}

function parseScope(action: Action, text: string | null | undefined): Scope | undefined {
  if (text === null || text === undefined) return undefined;
  const scope = scopeValues.find((each) => each === text.toLowerCase());
  return scope ?? fail('bad_request', `${action} must be one of ${scopeValues.join(', ')}.`);
}

// What the service's REST interface answers with (docs/api.md), as far as the console reads it.
import type { enums } from '../../../src/base/enums.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export type TokenKind = 'master' | 'public' | 'user';

/** A user, as signing in and `GET /me` tell it. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/** A site that a user may work on. */
export interface MySite {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
}

export type Scope = 'public' | 'shared' | 'private' | 'none';
export const actions = ['read', 'update', 'delete', 'create'] as const;
export type Action = (typeof actions)[number];
export type ChannelAcl = Readonly<Record<Action, Scope>>;

export type FieldType = (typeof enums.FieldType)[keyof typeof enums.FieldType];

export interface Field {
  readonly name: string;
  readonly label: string | null;
  readonly hint: string | null;
  readonly type: FieldType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly default: Json;
  readonly options: readonly string[] | null;
  readonly channel: string | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly pattern: string | null;
  /** What people are told of a text that does not match the pattern. */
  readonly message: string | null;
  /** Who may read and write its values, as actor keys; absent or null for no rule. */
  readonly read?: readonly string[] | null;
  readonly write?: readonly string[] | null;
  /** Whether the caller may read its values, and write them in some entry; absent where there is no rule. */
  readonly readable?: boolean;
  readonly writable?: boolean;
}

/** A channel. `acl`, `description` and `language` are left out for public tokens. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly publishable: boolean;
  readonly title_field: string;
  readonly fields: readonly Field[];
  readonly description?: string | null;
  readonly acl?: ChannelAcl;
  readonly language?: string | null;
}

export type Status = 'draft' | 'scheduled' | 'published';

/** What an entry's access list says of one actor. */
export type AclRule = Readonly<Partial<Record<Action, boolean>>>;
export type EntryAcl = Readonly<Record<string, AclRule>>;

/** An entry: the fixed members, and the channel's own beside them. */
export type Entry = JsonObject & {
  readonly id: string;
  readonly slug: string;
  readonly channel: string;
  readonly title_field_value: string | null;
  readonly updated_at: string;
  readonly _status: Status;
  readonly _publish_at: string | null;
};

/** The short form of an entry, as references and previews have it. */
export interface Stub {
  readonly id: string;
  readonly channel: string;
  readonly slug: string;
  readonly title_field_value: string | null;
}

export type DecidedBy = 'bypass' | 'right' | 'channel' | 'grant' | 'deny' | 'default';

export interface Decision {
  readonly allowed: boolean;
  readonly decided_by: DecidedBy;
  readonly key: string | null;
  readonly scope: Scope | null;
  readonly considered: readonly { readonly key: string; readonly says: boolean }[];
  /** Of a member: the right that gave it, or that is missing. */
  readonly right?: string | null;
}

export interface PublicSight {
  readonly visible: boolean;
  readonly since: string | null;
  readonly until: string | null;
}

/** What an explanation decides: publishing, too, which members do by a right alone. */
export type Explained = Action | 'publish';
export type Explanation = Readonly<Record<Explained, Decision>> & { readonly publication: PublicSight };

/** What a token may do. `update` and `delete` are null where no entry was named. */
export interface Rights {
  readonly create: boolean;
  readonly access: boolean;
  readonly update: boolean | null;
  readonly delete: boolean | null;
  readonly publish: boolean | null;
}

/** Who the session is. */
export interface Me {
  readonly kind: TokenKind;
  readonly user: User | null;
  readonly sites: readonly MySite[];
  /** The rights in the site; null for public tokens. */
  readonly rights: readonly string[] | null;
}

export interface SightDifference {
  readonly appear: NamedEntries;
  readonly disappear: NamedEntries;
}
export interface NamedEntries {
  readonly count: number;
  readonly entries: readonly Stub[];
}
export interface AclPreview {
  readonly exact: boolean;
  readonly anonymous: SightDifference;
  readonly customer: SightDifference;
}

export interface Customer {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly created_at: string;
}

/** A session of a customer, or an access token of the site. Only the answer that makes it has its `token`. */
export interface Credential {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
  /** The rights that an access token is limited to; null: it is not. Sessions have none. */
  readonly scopes?: readonly string[] | null;
  readonly token?: string;
}
/** A token of a user, made by that user. */
export type PersonalToken = Credential & { readonly name: string | null; readonly site: string | null };
export type AccessToken = Credential & { readonly kind: 'master' | 'public'; readonly name: string | null };

export interface Change {
  readonly cursor: string;
  readonly type: string;
  readonly channel: string;
  readonly id: string | null;
  readonly version: number | null;
  /** Who did it; null for what was stored before there were authors, absent for public tokens. */
  readonly actor?: Actor | null;
}

export interface Actor {
  readonly kind: 'master' | 'public' | 'user' | 'operator' | 'service';
  readonly token: string | null;
  readonly user: string | null;
  readonly customer: string | null;
  readonly name: string | null;
}

/** A member of the site; `email` and `roles` are told to who may manage members alone. */
export interface Member {
  readonly user: string;
  readonly name: string | null;
  readonly email?: string;
  readonly roles?: readonly string[];
  readonly created_at: string;
}

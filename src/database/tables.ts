// The tables, one for each model of prisma/schema.prisma: the location of their rows, their deletion with a site, and
// their use by features. The distribution over nodes, the deletion of a site, the sections of a site's file and the
// audited models follow from it.
import type { enums } from '../base/enums.ts';
import type { Prisma } from '../generated/prisma/client.ts';

/** The deletion of a table's rows with their site. */
type Deletion =
  /**
   * A statement deletes them, a batch at a time (src/management/sites/siteRows.ts). `kind` is their name in reports of
   * progress; consecutive tables may have the same.
   */
  | { readonly by: 'batches'; readonly kind: string }
  /** The model of entries deletes them (src/entries/whole.ts). */
  | { readonly by: 'entryModel'; readonly kind: string }
  /** A foreign key deletes them with another row. */
  | { readonly by: 'foreignKey' }
  /** They are deleted with the site itself, or with its members. */
  | { readonly by: 'site' }
  /** They belong to no site. */
  | { readonly by: 'nothing' };

interface Table {
  readonly name: string;
  /**
   * The location of its rows, if the tables are distributed over nodes: each on the node of its site (`site_id`), or
   * all on the coordinator (docs/scaling.md).
   */
  readonly place: 'site' | 'coordinator';
  /**
   * Its users: Prisma's client, or only statements, because its rows are subject to access control (src/entries/sql/).
   */
  readonly usedBy: 'client' | 'statements';
  readonly deletion: Deletion;
  /**
   * The name of its rows in the audit log, which restricts their changes to `manage` (docs/contract.md §13.6); null if
   * changes are not recorded.
   */
  readonly audited: (typeof enums.AuditType)[keyof typeof enums.AuditType] | null;
  /**
   * The section of a site's file that has its rows; null if they are derived again, or belong to the installation
   * (docs/contract.md §12.4).
   */
  readonly section: string | null;
}

/**
 * The tables, in an order in which the rows of a site can be deleted: referring tables come before those that they
 * refer to.
 */
export const tables = {
  IdempotencyKey: {
    name: 'idempotency_keys',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'stored responses' },
    audited: null,
    section: null,
  },
  WebhookDelivery: {
    name: 'webhook_deliveries',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'webhooks' },
    audited: null,
    section: null,
  },
  WebhookEvent: {
    name: 'webhook_events',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'foreignKey' },
    audited: null,
    section: null,
  },
  Webhook: {
    name: 'webhooks',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'webhooks' },
    audited: 'webhook',
    section: 'webhooks',
  },
  Session: {
    name: 'sessions',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'sessions' },
    audited: 'session',
    section: 'sessions',
  },
  EntryValue: {
    name: 'entry_values',
    place: 'site',
    usedBy: 'statements',
    deletion: { by: 'foreignKey' },
    audited: null,
    section: null,
  },
  Entry: {
    name: 'entries',
    place: 'site',
    usedBy: 'statements',
    deletion: { by: 'entryModel', kind: 'entries' },
    audited: null,
    section: 'entries',
  },
  Channel: {
    name: 'channels',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'channels' },
    audited: 'channel',
    section: 'channels',
  },
  Change: {
    name: 'changes',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'changes' },
    audited: null,
    section: null,
  },
  Customer: {
    name: 'customers',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'customers' },
    audited: 'customer',
    section: 'customers',
  },
  Token: {
    name: 'tokens',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'tokens' },
    audited: 'token',
    section: 'tokens',
  },
  SignIn: {
    name: 'sign_ins',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: 'sign_in',
    section: null,
  },
  Password: {
    name: 'passwords',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: null,
    section: null,
  },
  UserLink: {
    name: 'user_links',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: null,
    section: null,
  },
  KnownBrowser: {
    name: 'known_browsers',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: null,
    section: null,
  },
  Identity: {
    name: 'identities',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: null,
    section: null,
  },
  Provider: {
    name: 'providers',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: 'provider',
    section: null,
  },
  AuditRecord: {
    name: 'audit_records',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'audit records' },
    audited: null,
    section: null,
  },
  ChangeFeed: {
    name: 'change_feeds',
    place: 'site',
    usedBy: 'client',
    deletion: { by: 'site' },
    audited: null,
    section: null,
  },
  Membership: {
    name: 'memberships',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'site' },
    audited: 'member',
    section: 'members',
  },
  Role: {
    name: 'roles',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'roles' },
    audited: 'role',
    section: 'roles',
  },
  Invitation: {
    name: 'invitations',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'batches', kind: 'invitations' },
    audited: 'invitation',
    section: null,
  },
  Site: {
    name: 'sites',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'site' },
    audited: 'site',
    section: null,
  },
  User: {
    name: 'users',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: 'user',
    section: null,
  },
  SignInFailure: {
    name: 'sign_in_failures',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: null,
    section: null,
  },
  RateCount: {
    name: 'rate_counts',
    place: 'coordinator',
    usedBy: 'client',
    deletion: { by: 'nothing' },
    audited: null,
    section: null,
  },
} as const satisfies Readonly<Record<Prisma.ModelName, Table>>;

type Tables = typeof tables;

/** The sections of a site's file. */
export type Section = NonNullable<Tables[keyof Tables]['section']>;

/** The models of management data, as the client names them. */
export type ManagedModel = {
  [Model in keyof Tables]: Tables[Model]['audited'] extends null ? never : Uncapitalize<Model>;
}[keyof Tables];

/** The models whose rows are deleted in batches. */
export type BatchModel = {
  [Model in keyof Tables]: Tables[Model]['deletion']['by'] extends 'batches' ? Model : never;
}[keyof Tables];

/** A table, with its model, and the model's name in Prisma's client. */
interface ModelTable extends Table {
  readonly model: Prisma.ModelName;
  readonly member: Uncapitalize<Prisma.ModelName>;
}

/** All tables, in their order. */
export const allTables: readonly ModelTable[] = Object.entries(tables).map(([model, table]) => ({
  ...table,
  model: model as keyof Tables,
  member: (model.charAt(0).toLowerCase() + model.slice(1)) as Uncapitalize<keyof Tables>,
}));

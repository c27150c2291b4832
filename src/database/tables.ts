// The tables, one for each model of prisma/schema.prisma: where their rows stand, how they go with a site, and what else has to know of
// them. From it follow the distribution over nodes, the deletion of a site, the sections of a site's file, and what is audited.
import type { enums } from '../base/enums.ts';
import type { Prisma } from '../generated/prisma/client.ts';

/** How the rows of a table go when their site is deleted. */
type Deletion =
  /**
   * A statement deletes them, a batch at a time (src/management/sites/siteRows.ts). `kind` is what they are called where a deletion
   * tells how far it is; tables that follow each other may share it.
   */
  | { readonly by: 'batches'; readonly kind: string }
  /** The model of entries deletes them (src/entries/whole.ts). */
  | { readonly by: 'entryModel'; readonly kind: string }
  /** A foreign key deletes them, with a row that is deleted. */
  | { readonly by: 'foreignKey' }
  /** They go with the site itself, or with its members. */
  | { readonly by: 'site' }
  /** They are of no site. */
  | { readonly by: 'nothing' };

interface Table {
  readonly name: string;
  /**
   * Where its rows are, if the tables are distributed over nodes: each on the node of its site (`site_id`), or all on the
   * coordinator (docs/scaling.md).
   */
  readonly place: 'site' | 'coordinator';
  /** What uses it: Prisma's client, or only statements, because access decides who sees what (src/entries/sql/). */
  readonly usedBy: 'client' | 'statements';
  readonly deletion: Deletion;
  /** What the audit log calls its rows, which then only `manage` writes (docs/contract.md §13.6); null: nothing records its changes. */
  readonly audited: (typeof enums.AuditType)[keyof typeof enums.AuditType] | null;
  /** The section of a site's file that has its rows; null: it is derived again, or belongs to the installation (docs/contract.md §12.4). */
  readonly section: string | null;
}

/** The tables, in an order in which the rows of a site can be deleted: what refers to something goes before it. */
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

/** A table, with the model that it is of, and what Prisma's client calls that. */
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

// Stores the rows of each section of an imported site. Secrets are made new and not shown: tokens, sessions and
// webhooks are visible, and work only once their secrets are replaced (docs/contract.md §12.4).
import { definitionsJson } from '../../../fields/definitionsJson.ts';
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { TransactionClient } from '../../../entries/clients/transactionClient.ts';
import { fail } from '../../../base/errors.ts';
import type { Customer, Prisma } from '../../../generated/prisma/client.ts';
import { changedBy, jsonOrNull } from '../../../management/channels/columns.ts';
import type { AuditActor, Authorship } from '../../../rules/author.ts';
import type { ImportedRow, ImportedRows } from './input.ts';
import { parseRight, writeRight } from '../../../rules/rights.ts';
import { noHashLength } from '../../../rules/tokenHash.ts';
import { storeImportedEntries } from './entries.ts';

/** Changes that the audit log records. */
type Recorded = Awaited<ReturnType<typeof storeImportedEntries>>;

type Store<Section extends ImportedRows['section']> = (
  db: TransactionClient,
  siteId: string,
  rows: readonly ImportedRow<Section>[],
  authorship: Authorship,
) => Promise<Recorded | undefined>;

/**
 * Stores rows of one section.
 * @returns the changes that the audit log records
 * @throws conflict naming the reason
 */
export async function storeImportedRows(
  db: TransactionClient,
  siteId: string,
  { section, rows }: ImportedRows,
  authorship: Authorship,
): Promise<Recorded> {
  // The rows match the section.
  const store = stores[section];
  return (await store(db, siteId, rows as never, authorship)) ?? [];
}

const stores: { readonly [Section in ImportedRows['section']]: Store<Section> } = {
  channels: async (db, siteId, rows, { actor }) => {
    const data = rows.map((row) => channelData(siteId, row, actor));
    return storeAll('channels', data.length, () => db.channel.createMany(without(data)));
  },
  customers: async (db, siteId, rows) => {
    const data = rows.map(({ created_at: createdAt, updated_at: updatedAt, ...row }): Customer => {
      return { siteId, id: row.id, email: row.email, name: row.name, roles: row.roles, createdAt, updatedAt };
    });
    return storeAll('customers', data.length, () => db.customer.createMany(without(data)));
  },
  roles: async (db, siteId, rows) => {
    const uidOf = await readChannelUids(db, siteId);
    const data = rows.map(({ created_at: createdAt, updated_at: updatedAt, id, name, rights }) => {
      return { siteId, id, name, rights: rights.map((text) => storedRight(text, uidOf)), createdAt, updatedAt };
    });
    return storeAll('roles', data.length, () => db.role.createMany(without(data)));
  },
  webhooks: async (db, siteId, rows) => {
    const data = rows.map(({ created_at: createdAt, updated_at: updatedAt, ...row }) => ({
      siteId,
      id: row.id,
      url: row.url,
      types: row.types,
      channels: row.channels,
      audience: row.audience,
      enabled: false,
      secret: unknownSecret(),
      cursor: '',
      createdAt,
      updatedAt,
    }));
    return storeAll('webhooks', data.length, () => db.webhook.createMany(without(data)));
  },
  tokens: async (db, siteId, rows) => {
    const ids = rows.map(({ id }) => id);
    const existing = await db.token.findMany({ where: { id: { in: ids } }, select: { id: true } });
    // The ids of tokens are unique over all sites: the exported site may be here, too.
    const isTaken = new Set(existing.map(({ id }) => id));
    const uidOf = rows.some(({ scopes }) => scopes !== null)
      ? await readChannelUids(db, siteId)
      : new Map<string, string>();
    const data = rows.map((row) => ({
      siteId,
      id: isTaken.has(row.id) ? uuidv7() : row.id,
      kind: row.kind,
      name: row.name,
      scopes: row.scopes?.map((text) => storedRight(text, uidOf)).join(' ') ?? null,
      hash: unknownSecret(noHashLength),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
    }));
    return storeAll('tokens', data.length, () => db.token.createMany(without(data)));
  },
  sessions: async (db, siteId, rows) => {
    await assertCustomers(db, siteId, [...new Set(rows.map(({ customer }) => customer))]);
    const data = rows.map((row) => ({
      siteId,
      id: row.id,
      customerId: row.customer,
      hash: unknownSecret(),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
    }));
    return storeAll('sessions', data.length, () => db.session.createMany(without(data)));
  },
  entries: storeImportedEntries,
};

/** The `uid`s of the channels of a site, by their ids. */
async function readChannelUids(db: TransactionClient, siteId: string): Promise<ReadonlyMap<string, string>> {
  const channels = await db.channel.findMany({ where: { siteId }, select: { id: true, uid: true } });
  return new Map(channels.map(({ id, uid }) => [id, uid]));
}

/** The text of a right as it is stored, with the `uid` of its channel. @throws bad_request if the site has no such channel */
function storedRight(text: string, uidOf: ReadonlyMap<string, string>): string {
  const right = parseRight(text);
  const handle = right?.channel ?? null;
  if (right === null || handle === null) return text;
  const channel = uidOf.get(handle);
  if (channel === undefined)
    fail('bad_request', `A role or a token has a right in the channel "${handle}", which the site does not have.`);
  return writeRight({ ...right, channel });
}

/** @throws bad_request naming a customer of a session that the site does not have */
async function assertCustomers(db: TransactionClient, siteId: string, ids: string[]): Promise<void> {
  const customers = await db.customer.findMany({ where: { siteId, id: { in: ids } }, select: { id: true } });
  const customerIds = new Set(customers.map(({ id }) => id));
  const missing = ids.find((id) => !customerIds.has(id));
  if (missing === undefined) return;
  fail('bad_request', `A session is of the customer "${missing}", whom the site does not have.`);
}

/** The parameters of a creation of rows that skips existing ones, which their number then reveals. */
function without<Data>(data: Data[]): { data: Data[]; skipDuplicates: true } {
  return { data, skipDuplicates: true };
}

/** @throws conflict if a row has the key of another one */
async function storeAll(kind: string, count: number, create: () => Promise<{ count: number }>): Promise<undefined> {
  if ((await create()).count < count) fail('conflict', `Two of the ${kind} have the same id.`);
  return undefined;
}

/** Random bytes that are not kept: the hash of no token, or an unknown key. */
function unknownSecret(length = 32): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(length));
}

function channelData(siteId: string, row: ImportedRow<'channels'>, actor: AuditActor): Prisma.ChannelCreateManyInput {
  return {
    siteId,
    uid: uuidv7(),
    id: row.id,
    name: row.name,
    description: row.description,
    publishable: row.publishable,
    createScope: row.create_scope,
    readScope: row.read_scope,
    updateScope: row.update_scope,
    deleteScope: row.delete_scope,
    titleField: row.title_field,
    language: row.language,
    typeName: row.type_name,
    layout: jsonOrNull(row.layout),
    version: row.version,
    fields: definitionsJson(row.fields),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    changedBy: changedBy(actor, row.version),
  };
}

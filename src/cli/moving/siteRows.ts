// Reads the rows of a site for its export, as of one moment. Each statement names every column, and orders the rows by
// values that are the same on each database: channels by the order of their creation, which an import keeps. Secrets
// and derived values are not among them.
import type { Snapshot } from '../../database/snapshot.ts';
import type { Section } from '../../database/tables.ts';
import { countOfEntries, entriesOfChannel } from '../../entries/exportSql.ts';
import { readVersion } from '../../base/version.ts';
import { memberOwner, memberPrefix, rightsByHandle, writeRight } from '../../rules/rights.ts';
import { scopeTexts } from '../../rules/scopes.ts';
import { formatFor, formatName, sectionsOf, type ReadRows, type SectionCounts, type SiteHeader } from './siteFile.ts';

type RowSection = Exclude<Section, 'entries'>;

/** The statements that read a section, with the parameter site. */
const rowStatements: Readonly<Record<RowSection, string>> = {
  channels: `
    SELECT c.id, c.name, c.description, c.publishable, c.create_scope::text AS create_scope, c.read_scope::text AS read_scope,
      c.update_scope::text AS update_scope, c.delete_scope::text AS delete_scope, c.title_field, c.language,
      c.type_name, c.layout, c.fields, c.version, c.created_at, c.updated_at
    FROM channels c WHERE c.site_id = $1 ORDER BY c.uid`,
  customers: `
    SELECT c.id, c.email, c.name, c.roles::text[] AS roles, c.created_at, c.updated_at
    FROM customers c WHERE c.site_id = $1 ORDER BY c.id COLLATE "C"`,
  roles: `
    SELECT r.id, r.name, r.rights, r.created_at, r.updated_at
    FROM roles r WHERE r.site_id = $1 ORDER BY r.id COLLATE "C"`,
  members: `
    SELECT u.email, u.name, m.roles::text[] AS roles, m.created_at FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.site_id = $1 ORDER BY u.email COLLATE "C"`,
  webhooks: `
    SELECT w.id, w.url, w.types, w.channels::text[] AS channels, w.audience::text AS audience, w.created_at, w.updated_at
    FROM webhooks w WHERE w.site_id = $1 ORDER BY w.id`,
  tokens: `
    SELECT t.id, t.kind::text AS kind, t.name, t.scopes, t.created_at, t.expires_at, t.revoked_at
    FROM tokens t WHERE t.site_id = $1 AND t.user_id IS NULL ORDER BY t.id`,
  sessions: `
    SELECT s.id, s.customer_id AS customer, s.created_at, s.expires_at, s.revoked_at
    FROM sessions s WHERE s.site_id = $1 ORDER BY s.id`,
};

const countStatements: Readonly<Record<Section, string>> = {
  channels: 'SELECT count(*)::float8 AS count FROM channels c WHERE c.site_id = $1',
  customers: 'SELECT count(*)::float8 AS count FROM customers c WHERE c.site_id = $1',
  roles: 'SELECT count(*)::float8 AS count FROM roles r WHERE r.site_id = $1',
  members: 'SELECT count(*)::float8 AS count FROM memberships m WHERE m.site_id = $1',
  webhooks: 'SELECT count(*)::float8 AS count FROM webhooks w WHERE w.site_id = $1',
  tokens: 'SELECT count(*)::float8 AS count FROM tokens t WHERE t.site_id = $1 AND t.user_id IS NULL',
  sessions: 'SELECT count(*)::float8 AS count FROM sessions s WHERE s.site_id = $1',
  entries: countOfEntries,
};

/** The header of a site's file; null if there is no such site, or its own import is not complete. */
export async function readSiteHeader({ query }: Snapshot, siteId: string): Promise<SiteHeader | null> {
  const [site] = await query<{ id: string; name: string; created_at: Date }>(
    'SELECT s.id, s.name, s.created_at FROM sites s WHERE s.id = $1 AND s.importing IS NULL',
    [siteId],
  );
  if (site === undefined) return null;
  const counts: [string, number][] = [];
  for (const [section, statement] of Object.entries(countStatements)) {
    const [row] = await query<{ count: number }>(statement, [siteId]);
    counts.push([section, row?.count ?? 0]);
  }
  const [withRoles] = await query<{ count: number }>(
    "SELECT count(*)::float8 AS count FROM memberships m WHERE m.site_id = $1 AND m.roles <> '{}'",
    [siteId],
  );
  const [withScopes] = await query<{ count: number }>(
    'SELECT count(*)::float8 AS count FROM tokens t WHERE t.site_id = $1 AND t.user_id IS NULL AND t.scopes IS NOT NULL',
    [siteId],
  );
  const { roles = 0, ...others } = Object.fromEntries(counts) as SectionCounts;
  const hasRoles = roles > 0 || (withRoles?.count ?? 0) > 0 || (withScopes?.count ?? 0) > 0;
  return {
    format: formatName,
    formatVersion: formatFor(hasRoles),
    entryway: readVersion(),
    site: { id: site.id, name: site.name, created_at: site.created_at.toISOString() },
    counts: hasRoles ? (Object.fromEntries(counts) as SectionCounts) : others,
  };
}

/** Reads the rows of each section of a site, for a file of the format in its header. */
export function readSiteRows(snapshot: Snapshot, siteId: string, header: SiteHeader): ReadRows {
  return (section) => {
    if (section === 'entries') return entriesOfSite(snapshot, siteId);
    const rows = snapshot.stream(rowStatements[section], [siteId]);
    if (section === 'roles') return rolesOfSite(snapshot, siteId, rows);
    if (section === 'tokens') return tokensOfSite(snapshot, siteId, rows);
    return section === 'members' ? membersOfSite(header, rows) : rows;
  };
}

/** Rights name channels by their ids in a file. Those of channels that there are no more are left out. */
async function* rolesOfSite(
  snapshot: Snapshot,
  siteId: string,
  rows: AsyncIterable<unknown>,
): AsyncGenerator<unknown, void> {
  const idOf = await readChannelIds(snapshot, siteId);
  for await (const row of rows as AsyncIterable<{ readonly rights: readonly string[] }>) {
    yield { ...row, rights: rightsByHandle(row.rights, idOf).map(writeRight) };
  }
}

/** Scopes name channels as rights do. A token without scopes has no such member, so that older versions read it. */
async function* tokensOfSite(
  snapshot: Snapshot,
  siteId: string,
  rows: AsyncIterable<unknown>,
): AsyncGenerator<unknown, void> {
  const idOf = await readChannelIds(snapshot, siteId);
  for await (const row of rows as AsyncIterable<{ readonly scopes: string | null }>) {
    const { scopes, ...others } = row;
    yield scopes === null ? others : { ...others, scopes: scopeTexts(scopes, idOf) };
  }
}

async function readChannelIds(snapshot: Snapshot, siteId: string): Promise<ReadonlyMap<string, string>> {
  const channels = await snapshot.query<{ id: string; uid: string }>(
    'SELECT c.id, c.uid FROM channels c WHERE c.site_id = $1',
    [siteId],
  );
  return new Map(channels.map(({ id, uid }) => [uid, id]));
}

async function* membersOfSite(header: SiteHeader, rows: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  const hasRoles = sectionsOf(header).includes('roles');
  for await (const row of rows as AsyncIterable<{ readonly roles: readonly string[] }>) {
    const { roles, ...others } = row;
    yield hasRoles ? { ...others, roles } : others;
  }
}

/** The entries channel by channel: an index has those of a channel in their order. */
async function* entriesOfSite(snapshot: Snapshot, siteId: string): AsyncGenerator<unknown, void> {
  const channels = await snapshot.query<{ uid: string }>(
    'SELECT c.uid FROM channels c WHERE c.site_id = $1 ORDER BY c.uid',
    [siteId],
  );
  const members = await snapshot.query<{ id: string; email: string }>(
    'SELECT u.id, u.email FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.site_id = $1',
    [siteId],
  );
  const emailOf = new Map(members.map(({ id: user, email }) => [memberOwner({ user }), memberOwner({ user: email })]));
  for (const { uid } of channels) {
    const rows = snapshot.stream(entriesOfChannel, [siteId, uid]) as AsyncIterable<{ readonly owner: string | null }>;
    // A member is known by its address elsewhere. Who is none of this site owns nothing there.
    for await (const row of rows) {
      const { owner } = row;
      yield owner?.startsWith(memberPrefix) === true ? { ...row, owner: emailOf.get(owner) ?? null } : row;
    }
  }
}

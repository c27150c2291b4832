// What each right and each built-in role lets a member do with entries, by the rules of src/rules/rights.ts, and each scope a token, by
// those of src/rules/scopes.ts: the tables of docs/access.md, whose cells are tried at every door.
import { builtInRoles, decideByRight, findRight, memberOwner, parseRight } from '../../src/rules/rights.ts';
import { isInScopes, readScopes, scopedReach } from '../../src/rules/scopes.ts';

const channel = { uid: 'uid', publishable: true };

/** What is done with an entry: the column of the table. */
export const deeds = [
  'fetch, list',
  'create',
  'update a draft',
  'update what is published',
  'delete a draft',
  'delete what is published',
  'publish, unpublish',
  'set `_acl` of a draft',
] as const;
export type Deed = (typeof deeds)[number];

/** What is done with a token that has scopes: reading as others do, and the feed, which `read:own` does not do for, beside the rest. */
export const scopeDeeds = [...deeds, 'preview, feed'] as const;
export type ScopeDeed = (typeof scopeDeeds)[number];

/** The entries that a deed reaches. */
export type Cell = 'all' | 'own' | '–';

export interface Row {
  /** A right, or the id of a built-in role. */
  readonly name: string;
  readonly isRole: boolean;
  /** The rights that a member has by it. */
  readonly rights: readonly string[];
  readonly cells: Readonly<Record<Deed, Cell>>;
}

const texts = 'read read:own create update update:own delete delete:own publish publish:own access *'.split(' ');

/** The rows of the table: rights on entries, then the roles that every site has. */
export const rows: readonly Row[] = [
  ...texts.map((text) => rowOf(text, false, [text])),
  ...builtInRoles.map(({ id, rights }) =>
    rowOf(
      id,
      true,
      rights.map(({ name, own }) => `${name}${own ? ':own' : ''}`),
    ),
  ),
];

function rowOf(name: string, isRole: boolean, rights: readonly string[]): Row {
  const member = { user: 'ada', roles: [{ id: 'role', rights: rights.flatMap((text) => parseRight(text) ?? []) }] };
  const may = (deed: Deed, isOwn: boolean): boolean => {
    const owner = isOwn ? memberOwner(member) : null;
    const by = (action: 'read' | 'update' | 'delete' | 'publish', status: 'draft' | 'published'): boolean =>
      decideByRight(member, action, channel, { owner, status }).given !== null;
    switch (deed) {
      case 'fetch, list':
        return by('read', 'published');
      case 'create':
        return findRight(member, 'create', channel.uid, false) !== null;
      case 'update a draft':
        return by('update', 'draft');
      case 'update what is published':
        return by('update', 'published');
      case 'delete a draft':
        return by('delete', 'draft');
      case 'delete what is published':
        return by('delete', 'published');
      case 'publish, unpublish':
        return by('publish', 'published');
      case 'set `_acl` of a draft':
        return by('update', 'draft') && findRight(member, 'access', channel.uid, isOwn) !== null;
    }
  };
  const cell = (deed: Deed): Cell => (may(deed, false) ? 'all' : may(deed, true) ? 'own' : '–');
  return { name, isRole, rights, cells: Object.fromEntries(deeds.map((deed) => [deed, cell(deed)])) as Row['cells'] };
}

/** The row of a scope: the entries that deeds reach by a token that has it alone, whose holder may do everything. */
export interface ScopeRow {
  readonly scope: string;
  readonly user: Readonly<Record<ScopeDeed, Cell>>;
  /** A master token owns no entries. */
  readonly master: Readonly<Record<ScopeDeed, Cell>>;
}

export const scopeRows: readonly ScopeRow[] = texts.map((scope) => {
  return { scope, user: scopedCells(scope, 'ada'), master: scopedCells(scope, null) };
});

function scopedCells(scope: string, userId: string | null): ScopeRow['user'] {
  const scopes = readScopes(scope, userId, new Map());
  const may = (deed: ScopeDeed, isOwn: boolean): boolean => {
    const owner = isOwn ? memberOwner({ user: 'ada' }) : null;
    const has = (action: 'read' | 'update' | 'delete' | 'publish'): boolean =>
      isInScopes(scopes, action, channel.uid, { owner });
    switch (deed) {
      case 'fetch, list':
        return has('read');
      case 'create':
        return scopedReach(scopes, 'create', channel.uid) !== null;
      case 'update a draft':
        return has('update');
      case 'update what is published':
        return has('update') && has('publish');
      case 'delete a draft':
        return has('delete');
      case 'delete what is published':
        return has('delete') && has('publish');
      case 'publish, unpublish':
        return has('publish');
      case 'set `_acl` of a draft':
        return has('update') && scopedReach(scopes, 'access', channel.uid) !== null;
      case 'preview, feed':
        return scopedReach(scopes, 'read', channel.uid) === 'all';
    }
  };
  const cell = (deed: ScopeDeed): Cell => (may(deed, false) ? 'all' : may(deed, true) ? 'own' : '–');
  return Object.fromEntries(scopeDeeds.map((deed) => [deed, cell(deed)])) as ScopeRow['user'];
}

/** Writes the table of rights as Markdown. */
export function writeTable(): string {
  const body = rows.map(({ name, isRole, cells }) => [
    isRole ? `role \`${name}\`` : `\`${name}\``,
    ...deeds.map((deed) => cells[deed]),
  ]);
  return writeMarkdown(['right or role', ...deeds], body);
}

/** Writes the table of scopes as Markdown. */
export function writeScopeTable(): string {
  const body = scopeRows.map(({ scope, user }) => [`\`${scope}\``, ...scopeDeeds.map((deed) => user[deed])]);
  return writeMarkdown(['scope', ...scopeDeeds], body);
}

function writeMarkdown(header: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = header.map((title, index) =>
    Math.max(...[header, ...body].map((row) => row[index]?.length ?? 0), title.length),
  );
  const line = (cellsOf: readonly string[]): string =>
    `| ${cellsOf.map((text, index) => text.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

// What each right and each built-in role lets a member do with entries, by the rules of src/rules/rights.ts: the table of
// docs/access.md, whose cells are tried at every door.
import { builtInRoles, decideByRight, findRight, memberOwner, parseRight } from '../../src/rules/rights.ts';

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

/** Writes the table as Markdown. */
export function writeTable(): string {
  const header = ['right or role', ...deeds];
  const body = rows.map(({ name, isRole, cells }) => [
    isRole ? `role \`${name}\`` : `\`${name}\``,
    ...deeds.map((deed) => cells[deed]),
  ]);
  const widths = header.map((title, index) =>
    Math.max(...[header, ...body].map((row) => row[index]?.length ?? 0), title.length),
  );
  const line = (cellsOf: readonly string[]): string =>
    `| ${cellsOf.map((text, index) => text.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

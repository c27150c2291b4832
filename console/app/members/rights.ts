// Rights in words, and who has which (docs/contract.md §14.1). The service decides; this only says it beforehand. Pure.

/** The rights on entries, which may hold for one channel, and what each lets somebody do. */
export const entryRights: Readonly<Record<string, string>> = {
  read: 'Read',
  create: 'Write new',
  update: 'Change',
  delete: 'Delete',
  publish: 'Publish, and take back',
  access: 'Say who sees',
};

/** Those of them that may hold for one's own entries alone. */
export const ownRights: readonly string[] = ['read', 'update', 'delete', 'publish'];

/** The rights on the site. */
export const siteRights: Readonly<Record<string, string>> = {
  channels: 'Make and change channels, their fields and rules',
  customers: 'Look after customers',
  members: 'Invite, change and remove members, and make roles',
  tokens: 'Make and revoke master and public tokens',
  webhooks: 'Look after webhooks',
  audit: 'Read the audit log',
  files: 'Look after files',
  '*': 'Everything, and what later versions add',
};

interface Right {
  readonly name: string;
  readonly isOwn: boolean;
  /** Null: every channel. */
  readonly channel: string | null;
}

function readRight(text: string): Right {
  const [, name = text, own, channel = null] = /^([a-z*]+)(:own)?(?:@(.+))?$/.exec(text) ?? [];
  return { name, isOwn: own !== undefined, channel };
}

/** What a right lets somebody do. @param nameChannel how a channel is called */
export function sayRight(text: string, nameChannel: (id: string) => string): string {
  const { name, isOwn, channel } = readRight(text);
  const verb = entryRights[name];
  if (verb === undefined) return siteRights[name] ?? text;
  const where = channel === null ? 'every channel' : nameChannel(channel);
  if (name === 'access') return `${verb} entries of ${where}`;
  return `${verb} ${isOwn ? 'own entries' : 'entries'} ${name === 'create' ? 'in' : 'of'} ${where}`;
}

/** Whether rights contain a right: as it is, or for all channels, all entries or all of the site. */
function has(rights: readonly string[], wanted: Right): boolean {
  return rights.map(readRight).some(({ name, isOwn, channel }) => {
    if (name === '*') return true;
    return name === wanted.name && (!isOwn || wanted.isOwn) && (channel === null || channel === wanted.channel);
  });
}

/** Those of some rights that somebody lacks, so that they cannot give them. */
export function lackedOf(wanted: readonly string[], rights: readonly string[]): readonly string[] {
  return wanted.filter((each) => !has(rights, readRight(each)));
}

/** Rights without those that another one of them contains. */
export function withoutCovered(rights: readonly string[]): readonly string[] {
  return rights.filter(
    (each) =>
      lackedOf(
        [each],
        rights.filter((other) => other !== each),
      ).length > 0,
  );
}

// Whom a request can come from, and whom the service should take it to be from: by the headers alone, as docs/contract.md §2 has
// it. Anything that is not exactly a credential is nobody's.
import { words } from '../../support/words.ts';
import type { Pair, Wire } from './request.ts';
import type { View } from './world.table.ts';

export interface CallerKind {
  readonly site: 'vault' | 'play';
  readonly headers: readonly Pair[];
}

function caller(site: 'vault' | 'play', token?: string, session?: string, named?: string): CallerKind {
  return {
    site,
    headers: [
      ...(token === undefined ? [] : [['Authorization', `Bearer ~${token}~`] as const]),
      ...(session === undefined ? [] : [['Session-Token', `~${session}~`] as const]),
      ...(named === undefined ? [] : [['X-Service-Site', `~${named}.site~`] as const]),
    ],
  };
}

/** The caller who may do everything in play. */
export const master = caller('play', 'play.master');

export const callers: readonly CallerKind[] = [
  ...[master, master, master, master, caller('play', 'play.master', 'play.ann', 'play')],
  ...[undefined, 'play.ann', 'play.bob'].map((session) => caller('play', 'play.public', session)),
  ...[caller('play', 'play.pat', undefined, 'play'), caller('play', 'both.dana', 'play.bob', 'play')],
  ...[caller('vault'), caller('vault', 'vault.public', undefined, 'vault')],
  ...[undefined, 'vault.ann', 'vault.bob'].map((session) => caller('vault', 'vault.public', session)),
  ...[undefined, 'vault.ann', 'vault.bob'].map((session) => caller('vault', 'vault.staff', session, 'vault')),
  caller('vault', 'both.dana', undefined, 'vault'),
];

/** What stands in credentials, for mutations to swap. */
export const credentials = {
  tokens:
    words(`play.master play.public play.pat both.dana vault.public vault.staff play.expired play.revoked play.unknown
    vault.revoked vault.unknown play.ann vault.ann`),
  sessions: words('play.ann play.bob vault.ann vault.bob vault.ended play.ended vault.public play.master'),
  sites: ['play.site', 'vault.site'],
};

const sessionViews: Record<string, 'A' | 'B'> = { 'vault.ann': 'A', 'vault.bob': 'B' };

/** The views that a request may be answered by: one or, whatever it names, none. */
export function viewsOf({ headers }: Wire): ReadonlySet<View> {
  const all = (name: string): string[] =>
    headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, ''));
  const [authorization, ...more] = all('authorization');
  const token = /^bearer +~([\w.]+)~$/i.exec(authorization ?? '')?.[1];
  if (token === undefined || more.length > 0) return new Set();
  // Headers that are empty count as absent.
  const filled = (name: string): string[] => all(name).filter((value) => value !== '');
  const session = one([filled('session-token'), filled('x-service-session-token')]);
  const site = one([filled('x-service-site')]);
  if (session === null || site === null) return new Set();
  if (site !== undefined && !credentials.sites.includes(site)) return new Set();
  const view = viewBy(token, session, site?.split('.')[0]);
  return new Set(view === null ? [] : [view]);
}

/** What headers that mean the same name; undefined: nothing, null: no one thing. */
function one(given: readonly string[][]): string | undefined | null {
  const sent = given.filter((values) => values.length > 0);
  const [first] = sent;
  if (first === undefined) return undefined;
  if (sent.some((values) => values.length > 1 || values[0] !== first[0])) return null;
  return /^~([\w.]+)~$/.exec(first[0] ?? '')?.[1] ?? null;
}

function viewBy(token: string, session: string | undefined, site: string | undefined): View | null {
  const customer = session === undefined ? '' : sessionViews[session];
  const isPlaySession = session === undefined || ['play.ann', 'play.bob', 'play.leaving'].includes(session);
  switch (token) {
    case 'vault.public':
      return site === 'play' || customer === undefined ? null : customer === '' ? 'V' : customer;
    case 'vault.staff':
      return site === 'vault' && customer !== undefined ? `S${customer}` : null;
    case 'both.dana':
      if (site === 'play') return isPlaySession ? 'P' : null;
      return site === 'vault' && customer !== undefined ? `S${customer}` : null;
    case 'play.master':
    case 'play.public':
      return site !== 'vault' && isPlaySession ? 'P' : null;
    case 'play.pat':
      return site === 'play' && isPlaySession ? 'P' : null;
    default:
      return null;
  }
}

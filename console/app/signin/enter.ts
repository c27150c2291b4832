// From a sign-in to a session on one of the user's sites.
import { keepSite, keepToken, type Session } from '../api/session.ts';
import type { MySite } from '../api/types.ts';
import { createSend } from '../api/client.ts';
import { noteSignIn, readCredential } from '../../shared/credentials.ts';
import { tellSignedIn } from '../../shared/handOver.ts';
import { SignInKeys } from './keys.ts';
import { hasLeft, isSignInLikely, rememberSignIn } from './remembered.ts';
import { renewToken, type Issued } from './requests.ts';

/** A sign-in that has no site yet. */
export interface SiteChoice {
  readonly keys: SignInKeys;
  readonly sites: readonly MySite[];
}

/** What a sign-in leads to: a session, where it is clear on which site, or the choice of one. */
export type Entered = Session | SiteChoice;

export function isChoice(entered: Entered): entered is SiteChoice {
  return !('kind' in entered);
}

/** Begins a session on a site. */
export function enterSite({ keys, sites }: SiteChoice, site: string): Session {
  keepSite(site);
  return { kind: 'user', site, keys, user: keys.user, sites };
}

/** Goes on with a new sign-in: to the site that this tab had, or to the only one. @throws Problem if the sites cannot be read */
export async function enter(issued: Issued): Promise<Entered> {
  const keys = new SignInKeys(issued);
  noteSignIn(keys.user.id);
  keepToken('', readCredential('site'));
  const mine = { kind: 'user', site: null, keys, user: keys.user, sites: [] } as const;
  const { sites } = (await createSend(mine)('GET', '/me')).body as { readonly sites: readonly MySite[] };
  const kept = readCredential('site');
  const site = sites.length === 1 ? sites[0] : sites.find(({ id }) => id === kept);
  return site === undefined ? { keys, sites } : enterSite({ keys, sites }, site.id);
}

/** Goes on with a sign-in that was made right now, of which the other tabs of the browser are told. @throws Problem as `enter` */
export async function enterNew(issued: Issued): Promise<Entered> {
  noteNew();
  return enter(issued);
}

/** Notes that the browser has a new sign-in. */
export function noteNew(): void {
  rememberSignIn(true);
  tellSignedIn();
}

/** Goes on with the sign-in that this browser has; null: it has none. @throws Problem if the service does not answer */
export async function enterAgain(): Promise<Entered | null> {
  if (!isSignInLikely()) return null;
  const issued = await renewToken();
  if (issued === null) {
    rememberSignIn(false);
    return null;
  }
  return hasLeft() ? enterNew(issued) : enter(issued);
}

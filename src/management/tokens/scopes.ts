// The scopes that a token is made with, and their texts for lists of tokens (docs/contract.md §14.5).
import { readRole } from '../../auth/members.ts';
import { failValidation } from '../../base/errors.ts';
import type { ReadingClient } from '../../database/client.ts';
import type { TokenKind } from '../../rules/callers.ts';
import { parseRight } from '../../rules/rights.ts';
import { namesChannels, scopeTexts, splitScopes } from '../../rules/scopes.ts';
import { requireToGive, uidsKnownTo, type Giver } from '../giving.ts';
import { checkRights } from '../roles/input.ts';

/**
 * Checks the scopes of a new token, and that the maker has each of them.
 * @returns them as they are stored
 * @throws validation_failed with every error; forbidden for one that the maker does not have
 */
export function checkScopes(texts: readonly string[], kind: TokenKind, giver: Giver): string {
  const stored = checkRights(texts, uidsKnownTo(giver), 'scopes');
  if (kind === 'public') refusePublicScopes();
  if (kind === 'master') refuseOwn(texts);
  requireToGive(giver, readRole({ id: '', rights: stored }).rights);
  return stored.join(' ');
}

/** A master token owns no entries. @throws validation_failed for a right to own entries */
function refuseOwn(texts: readonly string[]): void {
  const errors = texts.flatMap((text, index) => {
    const message = 'a master token owns no entries: leave ":own" out';
    return parseRight(text)?.own === true ? [{ field: `scopes.${index}`, code: 'invalid', message }] : [];
  });
  if (errors.length > 0) failValidation(errors);
}

/** @throws validation_failed always */
export function refusePublicScopes(): never {
  failValidation([{ field: 'scopes', code: 'invalid', message: 'a public token takes no scopes' }]);
}

/** The part of a token's row that its scopes are read from. */
interface ScopedRow {
  readonly siteId: string | null;
  readonly scopes: string | null;
}

/** Writes the scopes of listed tokens, which name channels by their ids; null for none. */
export type NameScopes = (row: Pick<ScopedRow, 'scopes'>) => string[] | null;

/** Reads the ids of the channels that the scopes of some tokens name. Without such scopes nothing is read. */
export async function readScopeNames(
  rows: readonly ScopedRow[],
  db: Pick<ReadingClient, 'channel'>,
): Promise<NameScopes> {
  const naming = rows.filter(({ scopes }) => scopes !== null && namesChannels(scopes));
  const uids = new Set(
    naming.flatMap(({ scopes }) => splitScopes(scopes ?? '').flatMap((text) => parseRight(text)?.channel ?? [])),
  );
  const siteId = { in: [...new Set(naming.flatMap((row) => row.siteId ?? []))] };
  const select = { id: true, uid: true } as const;
  const channels =
    uids.size === 0 ? [] : await db.channel.findMany({ where: { siteId, uid: { in: [...uids] } }, select });
  const idOf = new Map(channels.map(({ id, uid }) => [uid, id]));
  return ({ scopes }) => (scopes === null ? null : scopeTexts(scopes, idOf));
}

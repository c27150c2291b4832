// Creates a token for the caller's site. The secret appears only in this response: the database holds its hash
// (docs/contract.md §2).
import { v7 as uuidv7 } from 'uuid';
import { mintToken } from '../../auth/tokens.ts';
import type { TokenInput } from '../../generated/graphql/types.ts';
import { checkNewToken } from './input.ts';
import type { Sent } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import { presentNewToken, type SiteToken } from './serializer.ts';
import { auditToken } from '../auditedMembers.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import { requireRights, requireSiteRights } from '../../resolvers/missingRight.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { everyRight } from '../../rules/rights.ts';
import { scopeTexts } from '../../rules/scopes.ts';
import { checkScopes } from './scopes.ts';

type CreateTokenArguments = Sent<TokenInput>;

interface CreatedToken {
  readonly row: SiteToken;
  readonly token: string;
  /** The texts of its scopes. */
  readonly scopes: readonly string[] | null;
}

type NewToken = ReturnType<typeof presentNewToken>;

export const createToken: ManagementOperation<{ args: CreateTokenArguments; done: CreatedToken; result: NewToken }> = {
  name: 'createToken',
  callers: managers,
  needs: ['tokens'],

  run: async (sent, context) => {
    const { site: siteId, now, caller, actor } = context;
    const { scopes: sentScopes, ...settings } = checkNewToken(sent, now);
    const { kind } = settings;
    // A master token reads every field, and without scopes has every right: nobody gives what they do not have.
    if (kind === 'master') requireSiteRights(caller, ['channels']);
    if (kind === 'master' && sentScopes === null) requireRights(caller, [everyRight], new Map());
    const { token, hash } = mintToken(kind);
    return manage(context, async (management) => {
      const giver = sentScopes === null ? null : await lockGiver(management, { siteId, caller, actor });
      const stored = giver === null ? null : checkScopes(sentScopes ?? [], kind, giver);
      const data = { ...settings, scopes: stored, id: uuidv7(), siteId, hash, createdAt: now };
      const row = await management.db.token.create({ data });
      const scopes = giver === null || stored === null ? null : scopeTexts(stored, giver.idOf);
      const change = { type: 'token', subject: row.id, action: 'created', before: null } as const;
      return {
        result: { row: { ...row, kind }, token, scopes },
        changes: [{ ...change, after: auditToken(row, scopes) }],
      };
    });
  },

  present: ({ row, token, scopes }) => presentNewToken(row, scopes, token),
};

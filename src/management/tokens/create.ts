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
import { manage } from '../manage.ts';
import { requireRights, requireSiteRights } from '../../resolvers/missingRight.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { everyRight } from '../../rules/rights.ts';

type CreateTokenArguments = Sent<TokenInput>;

interface CreatedToken {
  readonly row: SiteToken;
  readonly token: string;
}

type NewToken = ReturnType<typeof presentNewToken>;

export const createToken: ManagementOperation<{ args: CreateTokenArguments; done: CreatedToken; result: NewToken }> = {
  name: 'createToken',
  callers: managers,
  needs: ['tokens'],

  run: async (sent, context) => {
    const { site: siteId, now } = context;
    const settings = checkNewToken(sent, now);
    // A master token reads every field, and has every right: nobody gives what they do not have.
    if (settings.kind === 'master') {
      requireSiteRights(context.caller, ['channels']);
      requireRights(context.caller, [everyRight], new Map());
    }
    const { token, hash } = mintToken(settings.kind);
    return manage(context, async ({ db }) => {
      const row = await db.token.create({ data: { ...settings, id: uuidv7(), siteId, hash, createdAt: now } });
      const change = { type: 'token', subject: row.id, action: 'created', before: null } as const;
      return {
        result: { row: { ...row, kind: settings.kind }, token },
        changes: [{ ...change, after: auditToken(row) }],
      };
    });
  },

  present: ({ row, token }) => presentNewToken(row, token),
};

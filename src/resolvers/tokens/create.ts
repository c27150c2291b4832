// Creates a token for the caller's site. The secret appears only in this response: the database holds its hash
// (docs/contract.md §2).
import { v7 as uuidv7 } from 'uuid';
import { mintToken } from '../../auth/tokens.ts';
import type { Context } from '../../context.ts';
import type { TokenInput } from '../../generated/graphql/types.ts';
import { checkNewToken } from '../../inputs/token.ts';
import type { Sent } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import { presentNewToken, type SiteToken } from '../../serializers/token.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';

type CreateTokenArguments = Sent<TokenInput>;

interface CreatedToken {
  readonly row: SiteToken;
  readonly token: string;
}

type NewToken = ReturnType<typeof presentNewToken>;

export const createToken: Operation<CreateTokenArguments, CreateTokenArguments, null, CreatedToken, NewToken, Context> =
  {
    name: 'createToken',
    callers: managers,

    parse: (args) => args,

    load: loadNothing,

    authorize: authorizedByLoad,

    run: async (_loaded, sent, { db, site: siteId, now }) => {
      const settings = checkNewToken(sent, now);
      const { token, hash } = mintToken(settings.kind);
      const row = await db.token.create({ data: { ...settings, id: uuidv7(), siteId, hash, createdAt: now } });
      return { row: { ...row, kind: settings.kind }, token };
    },

    present: ({ row, token }) => presentNewToken(row, token),
  };

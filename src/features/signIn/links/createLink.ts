// Makes a link that sets a user's password, once and within a day. Only the command line has this operation (docs/contract.md
// §14.8).
import { mintToken } from '../../../auth/tokens.ts';
import { fail } from '../../../base/errors.ts';
import { auditTime } from '../../../management/auditedMembers.ts';
import { manage } from '../../../management/manage.ts';
import { findUser } from '../../../management/users/find.ts';
import { noSite } from '../../../resolvers/auditRecords.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { operators } from '../../../rules/callers.ts';
import { lockUser } from '../stored.ts';

/** The lifetime of a link that sets a password, in milliseconds. */
export const linkLifetime = 24 * 3_600_000;

interface CreateLinkArguments {
  readonly email: string;
  /** Credentials that the user keeps when the password is set. */
  readonly keepTokens: boolean;
  readonly keepLinks: boolean;
}

interface CreatedLink {
  readonly email: string;
  /** The secret, which is shown only this once. */
  readonly token: string;
  readonly expiresAt: Date;
}

export const createUserLink: ManagementOperation<{ args: CreateLinkArguments; done: CreatedLink }> = {
  name: 'createUserLink',
  callers: operators,

  run: async ({ email, ...kept }, context) => {
    const { now } = context;
    const user = await findUser(email, context);
    const { token, hash } = mintToken('link');
    const expiresAt = new Date(now.getTime() + linkLifetime);
    return manage(context, async ({ db }) => {
      if (!(await lockUser(db, user.id))) fail('not_found', `There is no user "${email}".`);
      // A new link takes over from older ones, which may have gone astray.
      await db.userLink.deleteMany({ where: { userId: user.id } });
      await db.userLink.create({ data: { userId: user.id, hash, ...kept, createdAt: now, expiresAt } });
      const change = { siteId: noSite, type: 'user', subject: user.id, action: 'updated' } as const;
      const after = { link_expires_at: auditTime(expiresAt), keep_tokens: kept.keepTokens, keep_links: kept.keepLinks };
      return { result: { email: user.email, token, expiresAt }, changes: [{ ...change, before: {}, after }] };
    });
  },
};

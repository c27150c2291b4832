// Replaces a token: makes a new one for the same holder, with the same scopes, and lets the old one expire after an overlap, in one transaction.
// Only the command line has this operation (docs/contract.md §12.1).
import { v7 as uuidv7 } from 'uuid';
import { isActive, mintToken } from '../../auth/tokens.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import { fail } from '../../base/errors.ts';
import { operators } from '../../rules/callers.ts';
import { presentOwnedToken, type OwnedToken, type PresentedToken } from './serializer.ts';
import { auditToken } from '../auditedMembers.ts';
import { manage, type Managed, type Management } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findSite } from '../sites/find.ts';
import { checkTokenId, throwNoSuchToken } from './revokeAny.ts';
import { readScopeNames } from './scopes.ts';

interface RotateTokenArguments {
  readonly id: string;
  /** Time for which the old token remains valid, in milliseconds; 0 revokes it now. */
  readonly overlap: number;
  /** Null if the new token never expires; absent to keep the lifetime of the old one. */
  readonly expiresAt?: Date | null | undefined;
}

interface Rotation {
  readonly old: OwnedToken;
  readonly created: OwnedToken;
  /** The secret of the new token, which is shown only this once. */
  readonly token: string;
}

interface PresentedRotation {
  readonly old: PresentedToken;
  readonly created: PresentedToken;
  readonly token: string;
}

export const rotateToken: ManagementOperation<{
  args: RotateTokenArguments;
  input: RotateTokenArguments;
  done: Rotation;
  result: PresentedRotation;
}> = {
  name: 'rotateToken',
  callers: operators,

  parse: (args) => ({ ...args, id: checkTokenId(args.id) }),

  run: (input, context) => manage(context, ({ db }) => storeRotation(input, db, context.now)),

  present: async ({ old, created, token }, _input, { services: { db } }) => {
    const nameScopes = await readScopeNames([created], db);
    return { old: presentOwnedToken(old, nameScopes), created: presentOwnedToken(created, nameScopes), token };
  },
};

/** @throws not_found if there is no such token; conflict if it is revoked or expired, or its site is being imported */
async function storeRotation(input: RotateTokenArguments, db: Management['db'], now: Date): Promise<Managed<Rotation>> {
  const { id, overlap } = input;
  const include = { user: { select: { email: true } } };
  // Serializes rotations and revocations of one token.
  await db.$queryRaw`SELECT 1 AS held FROM tokens t WHERE t.id = ${id}::uuid FOR UPDATE`;
  const existing = await db.token.findUnique({ where: { id, signInId: null }, include });
  const { user, ...row } = existing ?? throwNoSuchToken(id);
  if (row.siteId !== null) await findSite(row.siteId, { services: { db } });
  if (!isActive(row, now)) {
    const state = row.revokedAt === null ? 'has expired' : 'is revoked';
    fail('conflict', `The token ${id} ${state}, so that it cannot be rotated: make one with "entryway token create".`);
  }
  const { token, hash } = mintToken(row.kind);
  const data = {
    ...row,
    id: uuidv7(),
    hash,
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
    expiresAt: input.expiresAt === undefined ? renewedExpiry(row, now) : input.expiresAt,
  };
  const created = await db.token.create({ data, include });
  const end = overlap === 0 ? { revokedAt: now } : { expiresAt: earlier(row.expiresAt, now.getTime() + overlap) };
  const old = await db.token.update({ where: { id }, data: end, include });
  const nameScopes = await readScopeNames([created], db);
  const change = { siteId: row.siteId ?? noSite, type: 'token' } as const;
  return {
    result: { old: { ...old, user }, created, token },
    changes: [
      {
        ...change,
        subject: created.id,
        action: 'created',
        before: null,
        after: auditToken(created, nameScopes(created)),
      },
      { ...change, subject: id, action: 'rotated', before: auditToken(row, null), after: auditToken(old, null) },
    ],
  };
}

/** The expiry of a new token with the lifetime of an old one. */
function renewedExpiry({ createdAt, expiresAt }: Pick<OwnedToken, 'createdAt' | 'expiresAt'>, now: Date): Date | null {
  return expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
}

function earlier(time: Date | null, other: number): Date {
  return new Date(Math.min(time?.getTime() ?? Infinity, other));
}

// What commands ask of a database, by name: each call checks its input and performs an operation as the operator. A
// command makes its calls in its own process, or sends them to a running service (commandSocket.ts).
import { z } from 'zod';
import { loadCustomerActor } from '../../auth/directory.ts';
import { makeKeyHolder } from '../../auth/keyHolder.ts';
import { lastingRights } from '../../admission/rights.ts';
import { unlimitedBudget } from '../../admission/budget.ts';
import type { Limits } from '../../config/config.ts';
import { noWebhooks, type Context, type Services } from '../../resolvers/context.ts';
import type { Database } from '../../database/database.ts';
import { migrationStatus } from '../../database/migrations/migrate.ts';
import { withEntries } from '../../entries/model.ts';
import { tellOfPlaces } from '../../entries/feed/placeNotices.ts';
import { fail } from '../../base/errors.ts';
import { emailValue, storedEmail } from '../../fields/email.ts';
import { lineOfText } from '../../fields/text.ts';
import { timeInput } from '../../fields/time.ts';
import { auditTypes } from '../../features/audit/input.ts';
import { maxPageSize } from '../../inputs/lists/list.ts';
import { maxImportedRows } from '../../features/moving/import/input.ts';
import { listAllAudit } from '../../features/audit/listAll.ts';
import { abandonSiteImport } from '../../features/moving/import/abandon.ts';
import { beginSiteImport } from '../../features/moving/import/begin.ts';
import { finishSiteImport } from '../../features/moving/import/finish.ts';
import { importSiteRows } from '../../features/moving/import/rows.ts';
import { changeMembership } from '../../management/members/change.ts';
import { listMembers } from '../../management/members/list.ts';
import { createSite } from '../../management/sites/create.ts';
import { deleteSite } from '../../management/sites/delete.ts';
import { listSites } from '../../management/sites/list.ts';
import { showSite } from '../../management/sites/show.ts';
import { createToken } from '../../management/tokens/create.ts';
import { createUserToken } from '../../management/tokens/createForUser.ts';
import { listAllTokens } from '../../management/tokens/listAll.ts';
import { revokeAnyToken } from '../../management/tokens/revokeAny.ts';
import { rotateToken } from '../../management/tokens/rotate.ts';
import { createUser } from '../../management/users/create.ts';
import { deleteUser } from '../../management/users/delete.ts';
import { listUsers } from '../../management/users/list.ts';
import { perform } from '../../resolvers/perform.ts';
import { findSite } from '../../management/sites/find.ts';
import { isHandle } from '../../rules/names.ts';
import { RequestAccount } from '../../telemetry/account.ts';
import { operatorName } from './operatorName.ts';
import { isDisplayName } from '../values.ts';

/** Where a call works, and when. */
export interface CallPlace {
  readonly database: Database;
  readonly limits: Limits;
  readonly now: Date;
}

const idInput = z.string().max(255);
const site = z.string().refine(isHandle, 'must be the id of a site');
const isLowerCase = (text: string): boolean => text === text.toLowerCase();
const newEmail = emailValue.refine(isLowerCase, 'must be in lower case');
const emailAsStored = storedEmail.refine(isLowerCase, 'must be in lower case');
const nameInput = lineOfText().refine(isDisplayName, 'must be a name');
const countInput = z.int().min(0);
const uuidInput = z.uuid();
/** The kind of rows from which a deletion goes on. */
const fromInput = z.string().max(100).nullish();
/** Rows of a file are not checked yet: their operation does that. */
const rows = z.array(z.unknown());
const ofSiteOrUser = z.strictObject({ site: site.optional(), user: emailAsStored.optional() });

const auditInput = z.strictObject({
  site: site.optional(),
  actor: idInput.optional(),
  type: z.enum(auditTypes).optional(),
  subject: idInput.optional(),
  since: timeInput.optional(),
  until: timeInput.optional(),
  first: z.int().min(1).max(maxPageSize),
  after: z.string().max(1_000).nullable(),
});

/** All calls by name. */
const operatorCalls = {
  createSite: defineCall(z.strictObject({ id: site, name: nameInput }), (input, place) =>
    perform(createSite, input, operatorContext(place)),
  ),
  listSites: defineCall(z.strictObject({}), (input, place) => perform(listSites, input, operatorContext(place))),
  showSite: defineCall(z.strictObject({ id: site }), (input, place) =>
    perform(showSite, input, operatorContext(place)),
  ),
  deleteSite: defineCall(z.strictObject({ id: site, confirm: site, from: fromInput }), (input, place) =>
    perform(deleteSite, input, operatorContext(place)),
  ),
  beginSiteImport: defineCall(
    z.strictObject({ id: site, name: nameInput, createdAt: timeInput, importing: uuidInput, from: fromInput }),
    (input, place) => perform(beginSiteImport, input, operatorContext(place)),
  ),
  importSiteRows: defineCall(
    z.strictObject({ id: site, importing: uuidInput, section: z.string(), rows: rows.max(maxImportedRows) }),
    (input, place) => perform(importSiteRows, input, operatorContext(withoutJsonLimits(place))),
  ),
  finishSiteImport: defineCall(
    z.strictObject({
      id: site,
      importing: uuidInput,
      members: rows,
      counts: z.strictObject({
        channels: countInput,
        customers: countInput,
        webhooks: countInput,
        tokens: countInput,
        sessions: countInput,
        entries: countInput,
      }),
    }),
    (input, place) => perform(finishSiteImport, input, operatorContext(withoutJsonLimits(place))),
  ),
  abandonSiteImport: defineCall(z.strictObject({ id: site, importing: uuidInput, from: fromInput }), (input, place) =>
    perform(abandonSiteImport, input, operatorContext(place)),
  ),
  copyDatabase: defineCall(z.strictObject({ name: uuidInput }), async (input, { database }) => {
    await database.copy(input.name);
    return null;
  }),
  createUser: defineCall(z.strictObject({ email: newEmail, name: nameInput.nullable() }), (input, place) =>
    perform(createUser, input, operatorContext(place)),
  ),
  listUsers: defineCall(z.strictObject({}), (input, place) => perform(listUsers, input, operatorContext(place))),
  deleteUser: defineCall(z.strictObject({ email: emailAsStored, confirm: emailAsStored }), (input, place) =>
    perform(deleteUser, input, operatorContext(place)),
  ),
  changeMembership: defineCall(z.strictObject({ site, user: emailAsStored, isMember: z.boolean() }), (input, place) =>
    perform(changeMembership, input, operatorContext(place)),
  ),
  listMembers: defineCall(ofSiteOrUser, (input, place) => perform(listMembers, input, operatorContext(place))),
  createSiteToken: defineCall(
    z.strictObject({
      site,
      kind: z.enum(['master', 'public']),
      name: nameInput.nullable(),
      expiresAt: timeInput.nullable(),
    }),
    async ({ site: siteId, expiresAt, ...settings }, place) => {
      const context = operatorContext(place, siteId);
      await findSite(siteId, context);
      const input = { ...settings, expiresAt: expiresAt?.toISOString() ?? null };
      return perform(createToken, { input }, context);
    },
  ),
  createUserToken: defineCall(
    z.strictObject({ user: emailAsStored, name: nameInput.nullable(), expiresAt: timeInput.nullable() }),
    (input, place) => perform(createUserToken, input, operatorContext(place)),
  ),
  listTokens: defineCall(ofSiteOrUser, (input, place) => perform(listAllTokens, input, operatorContext(place))),
  revokeToken: defineCall(z.strictObject({ id: idInput }), (input, place) =>
    perform(revokeAnyToken, input, operatorContext(place)),
  ),
  rotateToken: defineCall(
    z.strictObject({ id: idInput, overlap: z.int().min(0), expiresAt: timeInput.nullable().optional() }),
    (input, place) => perform(rotateToken, input, operatorContext(place)),
  ),
  listAudit: defineCall(auditInput, (input, place) => perform(listAllAudit, input, operatorContext(place))),
  listMigrations: defineCall(z.strictObject({}), (_input, { database }) => migrationStatus(database)),
};

type OperatorCalls = typeof operatorCalls;
export type CallName = keyof OperatorCalls;
/** What a call takes, before it is checked. */
export type CallInput<Name extends CallName> = z.input<OperatorCalls[Name]['shape']>;
/** What a call returns, once it was JSON: its times are texts. */
export type CallResult<Name extends CallName> = Json<Awaited<ReturnType<OperatorCalls[Name]['run']>>>;

type Json<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Json<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Json<Value[Name]> }
      : Value;

/**
 * Makes a call.
 * @param called the name of the call, and `input` its input: neither is checked yet
 * @throws bad_request where there is no such call, or the input does not fit it; and what the operation throws
 */
export async function makeCall(called: string, input: unknown, place: CallPlace): Promise<unknown> {
  const call = Object.hasOwn(operatorCalls, called) ? operatorCalls[called as CallName] : undefined;
  if (call === undefined) fail('bad_request', 'There is no such call.');
  return call.parseAndRun(input, place);
}

interface Call<Shape extends z.ZodType, Result> {
  readonly shape: Shape;
  readonly run: (input: z.output<Shape>, place: CallPlace) => Promise<Result>;
  readonly parseAndRun: (input: unknown, place: CallPlace) => Promise<Result>;
}

/** What entries have as JSON was limited when they were written, by a service that may have had other limits. */
function withoutJsonLimits(place: CallPlace): CallPlace {
  return { ...place, limits: { ...place.limits, json: { depth: 1_000, members: Infinity, values: Infinity } } };
}

function defineCall<Shape extends z.ZodType, Result>(
  shape: Shape,
  run: Call<Shape, Result>['run'],
): Call<Shape, Result> {
  return {
    shape,
    run,
    parseAndRun: (input, place) => {
      const parsed = shape.safeParse(input);
      if (parsed.success) return run(parsed.data, place);
      // The values are not repeated: one may be a secret.
      const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
      fail('bad_request', `The input does not fit the call: ${wrong}`);
    },
  };
}

/**
 * A context whose caller is the operator, who has no token. The database notifies serving processes of its changes.
 * @param siteId the site that the operation works on; empty for operations that belong to no site
 */
function operatorContext({ database: { prisma, statements }, limits, now }: CallPlace, siteId = ''): Context {
  const findChannel: Services['directory']['channel'] = (ofSite, channel) =>
    prisma.channel.findUnique({ where: { siteId_id: { siteId: ofSite, id: channel } } });
  const caller = { kind: 'operator', customer: null } as const;
  const db = withEntries(prisma, statements);
  return {
    site: siteId,
    caller,
    actor: {
      kind: 'operator',
      tokenId: null,
      userId: null,
      customerId: null,
      name: operatorName(),
      sessionId: null,
    },
    now,
    useAcl: false,
    baseUrl: '',
    stats: new RequestAccount(),
    admission: {
      rights: lastingRights(caller, now),
      limits,
      budget: unlimitedBudget,
      keyHolder: () => makeKeyHolder({ id: '', secret: '' }, ''),
      admit: () => Promise.resolve(),
      holdOpen: () => fail('bad_request', 'A command does not wait.'),
    },
    services: {
      db,
      replicaDb: null,
      isPart: false,
      directory: {
        channel: findChannel,
        channelNow: findChannel,
        customer: (ofSite, id) => loadCustomerActor(prisma, ofSite, id),
        settle: () => Promise.resolve(),
      },
      placeChanges: async (site = siteId) => {
        const state = await db.entry.placeChanges(site);
        // The places are stored: those who wait find out by themselves where they cannot be told.
        if (state.placed > 0) await tellOfPlaces(prisma, [site]).catch(() => undefined);
        return state;
      },
      // A running service does pending rebuilds and records within a minute.
      rebuild: () => Promise.resolve(),
      recordSights: () => undefined,
      webhooks: noWebhooks,
    },
  };
}

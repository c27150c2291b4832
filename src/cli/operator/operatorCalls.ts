// What commands ask of a database, by name: each call checks its input and performs an operation as the operator. A
// command makes its calls in its own process, or sends them to a running service (commandSocket.ts).
import { z } from 'zod';
import { loadCustomerActor } from '../../auth/directory.ts';
import { makeKeyHolder } from '../../resolvers/keyHolder.ts';
import { lastingRights } from '../../admission/rights.ts';
import { unlimitedBudget } from '../../admission/budget.ts';
import type { Limits } from '../../config/config.ts';
import { noWebhooks, type Context } from '../../resolvers/context.ts';
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
import { operations } from '../../features/operations.ts';
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
  ...{
    site: site.optional(),
    actor: idInput.optional(),
    type: z.enum(auditTypes).optional(),
    subject: idInput.optional(),
  },
  ...{ since: timeInput.optional(), until: timeInput.optional() },
  first: z.int().min(1).max(maxPageSize),
  after: z.string().max(1_000).nullable(),
});

/** All calls by name. */
const operatorCalls = {
  createSite: defineCall(z.strictObject({ id: site, name: nameInput }), (input, place) =>
    perform(operations.createSite, input, operatorContext(place)),
  ),
  listSites: defineCall(z.strictObject({}), (input, place) =>
    perform(operations.listSites, input, operatorContext(place)),
  ),
  showSite: defineCall(z.strictObject({ id: site }), (input, place) =>
    perform(operations.showSite, input, operatorContext(place)),
  ),
  deleteSite: defineCall(z.strictObject({ id: site, confirm: site, from: fromInput }), (input, place) =>
    perform(operations.deleteSite, input, operatorContext(place)),
  ),
  beginSiteImport: defineCall(
    z.strictObject({
      ...{ id: site, name: nameInput, createdAt: timeInput, importing: uuidInput },
      from: fromInput,
    }),
    (input, place) => perform(operations.beginSiteImport, input, operatorContext(place)),
  ),
  importSiteRows: defineCall(
    z.strictObject({ id: site, importing: uuidInput, section: z.string(), rows: rows.max(maxImportedRows) }),
    (input, place) => perform(operations.importSiteRows, input, operatorContext(withoutJsonLimits(place))),
  ),
  finishSiteImport: defineCall(
    z.strictObject({
      ...{ id: site, importing: uuidInput, members: rows },
      counts: z.strictObject({
        ...{
          channels: countInput,
          customers: countInput,
          webhooks: countInput,
          tokens: countInput,
          sessions: countInput,
          entries: countInput,
        },
      }),
    }),
    (input, place) => perform(operations.finishSiteImport, input, operatorContext(withoutJsonLimits(place))),
  ),
  abandonSiteImport: defineCall(z.strictObject({ id: site, importing: uuidInput, from: fromInput }), (input, place) =>
    perform(operations.abandonSiteImport, input, operatorContext(place)),
  ),
  copyDatabase: defineCall(z.strictObject({ name: uuidInput }), async (input, { database }) => {
    await database.copy(input.name);
    return null;
  }),
  createUser: defineCall(z.strictObject({ email: newEmail, name: nameInput.nullable() }), (input, place) =>
    perform(operations.createUser, input, operatorContext(place)),
  ),
  listUsers: defineCall(z.strictObject({}), (input, place) =>
    perform(operations.listUsers, input, operatorContext(place)),
  ),
  deleteUser: defineCall(z.strictObject({ email: emailAsStored, confirm: emailAsStored }), (input, place) =>
    perform(operations.deleteUser, input, operatorContext(place)),
  ),
  changeMembership: defineCall(z.strictObject({ site, user: emailAsStored, isMember: z.boolean() }), (input, place) =>
    perform(operations.changeMembership, input, operatorContext(place)),
  ),
  listMembers: defineCall(ofSiteOrUser, (input, place) =>
    perform(operations.listMembers, input, operatorContext(place)),
  ),
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
      return perform(operations.createToken, { input }, context);
    },
  ),
  createUserToken: defineCall(
    z.strictObject({ user: emailAsStored, name: nameInput.nullable(), expiresAt: timeInput.nullable() }),
    (input, place) => perform(operations.createUserToken, input, operatorContext(place)),
  ),
  listTokens: defineCall(ofSiteOrUser, (input, place) =>
    perform(operations.listAllTokens, input, operatorContext(place)),
  ),
  revokeToken: defineCall(z.strictObject({ id: idInput }), (input, place) =>
    perform(operations.revokeAnyToken, input, operatorContext(place)),
  ),
  rotateToken: defineCall(
    z.strictObject({ id: idInput, overlap: z.int().min(0), expiresAt: timeInput.nullable().optional() }),
    (input, place) => perform(operations.rotateToken, input, operatorContext(place)),
  ),
  listAudit: defineCall(auditInput, (input, place) => perform(operations.listAllAudit, input, operatorContext(place))),
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
  const findChannel: Context['services']['directory']['channel'] = (ofSite, channel) =>
    prisma.channel.findUnique({ where: { siteId_id: { siteId: ofSite, id: channel } } });
  const caller = { kind: 'operator', customer: null } as const;
  const db = withEntries(prisma, statements);
  return {
    site: siteId,
    caller,
    actor: { kind: 'operator', tokenId: null, userId: null, customerId: null, name: operatorName() },
    session: null,
    now,
    rights: lastingRights(caller, now),
    useAcl: false,
    db,
    placeChanges: async (site = siteId) => {
      const state = await db.entry.placeChanges(site);
      // The places are stored: those who wait find out by themselves where they cannot be told.
      if (state.placed > 0) await tellOfPlaces(prisma, [site]).catch(() => undefined);
      return state;
    },
    directory: {
      channel: findChannel,
      channelNow: findChannel,
      customer: (ofSite, id) => loadCustomerActor(prisma, ofSite, id),
      settle: () => Promise.resolve(),
    },
    requestId: '',
    baseUrl: '',
    limits,
    budget: unlimitedBudget,
    account: new RequestAccount(),
    keyHolder: () => makeKeyHolder({ id: '', secret: '' }, ''),
    // A running service does pending rebuilds and records within a minute.
    rebuild: () => Promise.resolve(),
    recordSights: () => undefined,
    webhooks: noWebhooks,
    admit: () => Promise.resolve(),
    holdOpen: () => fail('bad_request', 'A command does not wait.'),
  };
}

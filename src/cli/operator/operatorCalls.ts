// The calls of commands on a database, by name: each checks its input and performs an operation as the operator. A
// command makes its calls in its own process, or sends them to a running service (commandSocket.ts).
import { z } from 'zod';
import { migrationStatus } from '../../database/migrations/migrate.ts';
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
import { createUserLink } from '../../features/signIn/links/createLink.ts';
import { isStoredHash } from '../../features/signIn/passwords.ts';
import { addProvider } from '../../features/signIn/providers/add.ts';
import {
  findIssuerFault,
  isClientId,
  isClientSecret,
  isDomain,
  maxDomains,
} from '../../features/signIn/providers/input.ts';
import { listProviders } from '../../features/signIn/providers/list.ts';
import { removeProvider } from '../../features/signIn/providers/remove.ts';
import { setPassword } from '../../features/signIn/setPassword.ts';
import { signUserOut } from '../../features/signIn/signUserOut.ts';
import { inviteMember } from '../../management/invitations/create.ts';
import { changeMembership } from '../../management/members/change.ts';
import { listMemberships } from '../../management/members/listMemberships.ts';
import { deleteNamedRole } from '../../management/roles/deleteNamed.ts';
import { listRoles } from '../../management/roles/list.ts';
import { setRole } from '../../management/roles/set.ts';
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
import { operatorContext, type CallTarget } from './operatorContext.ts';
import { maxRightsOfRole } from '../../rules/rights.ts';
import { isDisplayName } from '../values.ts';

const idInput = z.string().max(255);
const site = z.string().refine(isHandle, 'must be the id of a site');
const providerId = z.string().refine(isHandle, 'must be the id of a provider');
const roleId = z.string().refine(isHandle, 'must be the id of a role');
const isLowerCase = (text: string): boolean => text === text.toLowerCase();
const newEmail = emailValue.refine(isLowerCase, 'must be in lower case');
const storedHash = z.string().refine(isStoredHash, 'must be the hash of a password');
const nameInput = lineOfText().refine(isDisplayName, 'must be a name');
const countInput = z.int().min(0);
const uuidInput = z.uuid();
/** Absent in calls of older commands. */
const scopesInput = z.array(z.string().max(200)).max(maxRightsOfRole).nullable().default(null);
/** The kind of rows from which a deletion continues. */
const fromInput = z.string().max(100).nullish();
/** Rows of a file are checked by their operation. */
const rows = z.array(z.unknown());
const ofSiteOrUser = z.strictObject({ site: site.optional(), user: storedEmail.optional() });

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
  createSite: defineCall(
    z.strictObject({ id: site, name: nameInput, owner: storedEmail.optional() }),
    (input, target) => perform(createSite, input, operatorContext(target)),
  ),
  listSites: defineCall(z.strictObject({}), (input, target) => perform(listSites, input, operatorContext(target))),
  showSite: defineCall(z.strictObject({ id: site }), (input, target) =>
    perform(showSite, input, operatorContext(target)),
  ),
  deleteSite: defineCall(z.strictObject({ id: site, confirm: site, from: fromInput }), (input, target) =>
    perform(deleteSite, input, operatorContext(target)),
  ),
  beginSiteImport: defineCall(
    z.strictObject({ id: site, name: nameInput, createdAt: timeInput, importing: uuidInput, from: fromInput }),
    (input, target) => perform(beginSiteImport, input, operatorContext(target)),
  ),
  importSiteRows: defineCall(
    z.strictObject({ id: site, importing: uuidInput, section: z.string(), rows: rows.max(maxImportedRows) }),
    (input, target) => perform(importSiteRows, input, operatorContext(withoutJsonLimits(target))),
  ),
  finishSiteImport: defineCall(
    z.strictObject({
      id: site,
      importing: uuidInput,
      members: rows,
      counts: z.strictObject({
        channels: countInput,
        customers: countInput,
        roles: countInput.default(0),
        webhooks: countInput,
        tokens: countInput,
        sessions: countInput,
        entries: countInput,
      }),
    }),
    (input, target) => perform(finishSiteImport, input, operatorContext(withoutJsonLimits(target))),
  ),
  abandonSiteImport: defineCall(z.strictObject({ id: site, importing: uuidInput, from: fromInput }), (input, target) =>
    perform(abandonSiteImport, input, operatorContext(target)),
  ),
  copyDatabase: defineCall(z.strictObject({ name: uuidInput }), async (input, { database }) => {
    await database.copy(input.name);
    return null;
  }),
  createUser: defineCall(
    z.strictObject({ email: newEmail, name: nameInput.nullable(), stored: storedHash.nullish() }),
    (input, target) => perform(createUser, input, operatorContext(target)),
  ),
  setPassword: defineCall(z.strictObject({ email: storedEmail, stored: storedHash }), (input, target) =>
    perform(setPassword, input, operatorContext(target)),
  ),
  createUserLink: defineCall(
    z.strictObject({ email: storedEmail, keepTokens: z.boolean(), keepLinks: z.boolean() }),
    (input, target) => perform(createUserLink, input, operatorContext(target)),
  ),
  signUserOut: defineCall(
    z.strictObject({ email: storedEmail, tokens: z.boolean(), links: z.boolean().default(false) }),
    (input, target) => perform(signUserOut, input, operatorContext(target)),
  ),
  addProvider: defineCall(
    z.strictObject({
      id: providerId,
      name: nameInput,
      issuer: z.string().refine((text) => findIssuerFault(text) === null, 'must be an issuer'),
      clientId: z.string().refine(isClientId, 'must be the id of a client'),
      clientSecret: z.string().refine(isClientSecret, 'must be the secret of a client'),
      domains: z.array(z.string().refine(isDomain, 'must be a domain')).max(maxDomains),
    }),
    (input, target) => perform(addProvider, input, operatorContext(target)),
  ),
  listProviders: defineCall(z.strictObject({}), (input, target) =>
    perform(listProviders, input, operatorContext(target)),
  ),
  removeProvider: defineCall(z.strictObject({ id: providerId }), (input, target) =>
    perform(removeProvider, input, operatorContext(target)),
  ),
  listUsers: defineCall(z.strictObject({}), (input, target) => perform(listUsers, input, operatorContext(target))),
  deleteUser: defineCall(z.strictObject({ email: storedEmail, confirm: storedEmail }), (input, target) =>
    perform(deleteUser, input, operatorContext(target)),
  ),
  changeMembership: defineCall(
    z.strictObject({ site, user: storedEmail, isMember: z.boolean(), roles: z.array(roleId).optional() }),
    (input, target) => perform(changeMembership, input, operatorContext(target)),
  ),
  inviteMember: defineCall(
    z.strictObject({ site, email: newEmail, roles: z.array(roleId) }),
    async ({ site: siteId, ...input }, target) => {
      const context = operatorContext(target, siteId);
      await findSite(siteId, context);
      const { id, roles, token, expiresAt } = await perform(inviteMember, { input }, context);
      return { id, roles, token, expiresAt };
    },
  ),
  listMembers: defineCall(ofSiteOrUser, (input, target) => perform(listMemberships, input, operatorContext(target))),
  listRoles: defineCall(z.strictObject({ site }), async ({ site: siteId }, target) => {
    const context = operatorContext(target, siteId);
    await findSite(siteId, context);
    return perform(listRoles, {}, context);
  }),
  setRole: defineCall(
    z.strictObject({ site, id: roleId, name: nameInput.optional(), rights: z.array(z.string().max(200)) }),
    (input, target) => perform(setRole, input, operatorContext(target)),
  ),
  deleteRole: defineCall(z.strictObject({ site, id: roleId, confirm: roleId }), (input, target) =>
    perform(deleteNamedRole, input, operatorContext(target)),
  ),
  createSiteToken: defineCall(
    z.strictObject({
      site,
      kind: z.enum(['master', 'public']),
      name: nameInput.nullable(),
      expiresAt: timeInput.nullable(),
      scopes: scopesInput,
    }),
    async ({ site: siteId, expiresAt, ...settings }, target) => {
      const context = operatorContext(target, siteId);
      await findSite(siteId, context);
      const input = { ...settings, expiresAt: expiresAt?.toISOString() ?? null };
      return perform(createToken, { input }, context);
    },
  ),
  createUserToken: defineCall(
    z.strictObject({
      user: storedEmail,
      site: site.nullable().default(null),
      name: nameInput.nullable(),
      expiresAt: timeInput.nullable(),
      scopes: scopesInput,
    }),
    (input, target) => perform(createUserToken, input, operatorContext(target)),
  ),
  listTokens: defineCall(ofSiteOrUser, (input, target) => perform(listAllTokens, input, operatorContext(target))),
  revokeToken: defineCall(z.strictObject({ id: idInput }), (input, target) =>
    perform(revokeAnyToken, input, operatorContext(target)),
  ),
  rotateToken: defineCall(
    z.strictObject({ id: idInput, overlap: z.int().min(0), expiresAt: timeInput.nullable().optional() }),
    (input, target) => perform(rotateToken, input, operatorContext(target)),
  ),
  listAudit: defineCall(auditInput, (input, target) => perform(listAllAudit, input, operatorContext(target))),
  listMigrations: defineCall(z.strictObject({}), (_input, { database }) => migrationStatus(database)),
};

type OperatorCalls = typeof operatorCalls;
export type CallName = keyof OperatorCalls;
/** The input of a call, unchecked. */
export type CallInput<Name extends CallName> = z.input<OperatorCalls[Name]['shape']>;
/** The result of a call after the conversion to JSON: its times are texts. */
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
 * @param called the name of the call, and `input` its input: both are unchecked
 * @throws bad_request for an unknown call or an invalid input; and as the operation
 */
export async function makeCall(called: string, input: unknown, target: CallTarget): Promise<unknown> {
  const call = Object.hasOwn(operatorCalls, called) ? operatorCalls[called as CallName] : undefined;
  if (call === undefined) fail('bad_request', 'There is no such call.');
  return call.parseAndRun(input, target);
}

interface Call<Shape extends z.ZodType, Result> {
  readonly shape: Shape;
  readonly run: (input: z.output<Shape>, target: CallTarget) => Promise<Result>;
  readonly parseAndRun: (input: unknown, target: CallTarget) => Promise<Result>;
}

/** The JSON of entries was limited when they were written, by a service that may have had other limits. */
function withoutJsonLimits(target: CallTarget): CallTarget {
  return { ...target, limits: { ...target.limits, json: { depth: 1_000, members: Infinity, values: Infinity } } };
}

function defineCall<Shape extends z.ZodType, Result>(
  shape: Shape,
  run: Call<Shape, Result>['run'],
): Call<Shape, Result> {
  return {
    shape,
    run,
    parseAndRun: (input, target) => {
      const parsed = shape.safeParse(input);
      if (parsed.success) return run(parsed.data, target);
      // The values are not repeated: one may be a secret.
      const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
      fail('bad_request', `The input does not fit the call: ${wrong}`);
    },
  };
}

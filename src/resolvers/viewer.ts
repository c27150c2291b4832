// The viewer of an operation: the caller of the request or, in a preview, the actor that it names (docs/contract.md
// §10).
import type { WriteContext, WriteServices } from './context.ts';
import { ReferenceLoader } from './load.ts';
import type { OperationContext } from './operation.ts';
import { uuidShape } from '../rules/names.ts';
import type { Member } from '../rules/rights.ts';
import { fail } from '../base/errors.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import {
  makePreviewViewer,
  makeViewer,
  mayReadUnchecked,
  previewers,
  type Actor,
  type Caller,
  type Preview,
  type Viewer,
} from '../rules/callers.ts';

/** The caller, the time and the viewer of an operation. */
export interface ResolvedViewer {
  /** The caller; in a preview, the actor that it names. */
  readonly caller: Caller;
  readonly now: Date;
  readonly viewer: Viewer;
}

/** The part of a request that decides on its viewer. */
export interface ViewerRequest {
  readonly useAcl: boolean;
  /** null if the caller reads on its own behalf. */
  readonly preview: Preview | null;
}

type ViewerContext = Pick<WriteContext, 'admission' | 'services' | 'site'>;

/**
 * Checks the rights of the caller again, and finds the actor of a preview.
 * @param moment the present time of the operation, if it has begun already
 * @throws unauthenticated or forbidden if the caller's rights have ended; forbidden for a preview that the caller may
 *   not ask for; bad_request for an actor that does not exist
 */
export function resolveViewer(
  context: ViewerContext,
  asked: ViewerRequest,
  moment?: Date,
): PromiseOrValue<ResolvedViewer> {
  const { useAcl, preview } = asked;
  return andThen(context.admission.rights.renew(), ({ caller, now: present }) => {
    const now = moment ?? present;
    if (preview === null) return { caller, now, viewer: makeViewer(caller, useAcl, now) };
    return findPreview(context, { useAcl, preview }, caller, now);
  });
}

/** Resolves the viewer of a preview, by its actor. @throws as `resolveViewer` */
async function findPreview(
  context: ViewerContext,
  { useAcl, preview }: ViewerRequest & { readonly preview: Preview },
  caller: Caller,
  now: Date,
): Promise<ResolvedViewer> {
  if (!previewers.includes(caller.kind)) fail('forbidden', 'Only master and user tokens may read as somebody else.');
  const { actor, at } = preview;
  if (actor.member !== undefined) {
    const member = await findMemberActor(actor.member, context);
    const as: Caller = { kind: actor.kind, customer: null, member, scopes: caller.scopes };
    return { caller: as, now, viewer: makePreviewViewer(makeViewer(as, useAcl, now), at, caller) };
  }
  // The caller's scopes hold, with any actor.
  const asked = { kind: actor.kind, customer: null, scopes: caller.scopes };
  const isChecked = useAcl || actor.useAcl;
  if (mayReadUnchecked(asked, isChecked) && !mayReadUnchecked(caller, useAcl)) {
    fail('forbidden', 'Access control is checked for this caller: it may not read as a master token without useAcl.');
  }
  const as = { ...asked, customer: await findActor(actor, context) };
  return { caller: as, now, viewer: makePreviewViewer(makeViewer(as, isChecked, now), at, caller) };
}

/** Finds the member that an actor names, with its present roles. @throws bad_request if the site has none */
async function findMemberActor(user: string, { services: { directory }, site }: ViewerContext): Promise<Member> {
  const member = uuidShape.test(user) ? await directory.member(site, user) : null;
  return member ?? fail('bad_request', `as: there is no member ${JSON.stringify(user)}.`);
}

/** Finds the customer that an actor names, with its stored roles unless the actor names others. */
async function findActor(
  { customer }: Actor,
  { services: { directory }, site }: ViewerContext,
): Promise<Caller['customer']> {
  if (customer === null) return null;
  const { id, roles } = customer;
  if (id === null) return { id, roles: roles ?? [] };
  const found = await directory.customer(site, id);
  if (found === null) fail('bad_request', `as: there is no customer ${JSON.stringify(id)}.`);
  return { id, roles: roles ?? found.roles };
}

/**
 * The context of an operation's steps: its request's, and the members of one attempt. It names every member, because V8
 * takes twenty times as long for a literal that spreads a large object and adds to it, and every request passes here.
 */
export class PerformingContext implements OperationContext {
  readonly site: string;
  readonly caller: Caller;
  readonly now: Date;
  readonly actor: WriteContext['actor'];
  readonly useAcl: boolean;
  readonly baseUrl: string;
  readonly admission: WriteContext['admission'];
  readonly stats: WriteContext['stats'];
  readonly services: WriteServices;
  readonly viewer: Viewer;
  readonly preview: Preview | null;
  readonly renewViewer: () => PromiseOrValue<Viewer>;
  readonly attempt: number;
  #references: ReferenceLoader | undefined;

  constructor(given: WriteContext, asked: ViewerRequest, { caller, now, viewer }: ResolvedViewer, attempt: number) {
    this.site = given.site;
    this.caller = caller;
    this.now = now;
    this.actor = given.actor;
    this.useAcl = given.useAcl;
    this.baseUrl = given.baseUrl;
    this.admission = given.admission;
    this.stats = given.stats;
    this.services = given.services;
    this.viewer = viewer;
    this.preview = asked.preview;
    this.renewViewer = () => andThen(resolveViewer(given, asked, now), (sight) => sight.viewer);
    this.attempt = attempt;
  }

  /** Most operations follow no reference. */
  get references(): ReferenceLoader {
    return (this.#references ??= new ReferenceLoader(this, this.renewViewer));
  }
}

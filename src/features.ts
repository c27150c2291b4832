// The features of the service, and the tables that follow from the list: the operations, the routes and the GraphQL
// resolvers.
import { audit } from './features/audit/feature.ts';
import { changes } from './features/changes/feature.ts';
import { explain } from './features/explain/feature.ts';
import type { Feature, ProcessParts, Started, SweptRows } from './features/feature.ts';
import { kernel } from './features/kernel.ts';
import { moving } from './features/moving/feature.ts';
import { signIn } from './features/signIn/feature.ts';
import { rebuilds } from './features/rebuilds/feature.ts';
import { typedOver } from './features/typed/feature.ts';
import { webhooks } from './features/webhooks/feature.ts';
import type { Resolvers } from './generated/graphql/types.ts';
import { management } from './management/feature.ts';
import type { Route } from './rest/route.ts';

const described = [kernel, explain, changes, management, webhooks, audit, moving, rebuilds, signIn] as const;

/** All features, the kernel first. */
export const features = [...described, typedOver(described.flatMap(routesOf))] as const;

/** All operations by name. */
export const operations = join(features.map((feature) => feature.operations));

/** The route table of REST. A path is listed before more general ones that would match it, too. */
export const routes = features.flatMap(routesOf);

/** Rows that are kept for a limited time. */
export const sweptRows: readonly SweptRows[] = features.flatMap(({ sweeps = [] }: Feature) => sweeps);

/** The GraphQL resolvers. A query or a mutation of the schema that no feature has does not compile. */
export const resolvers = joinByType(features.map((feature) => feature.graphql)) satisfies Resolvers &
  Required<Pick<Resolvers, 'Query' | 'Mutation' | 'Subscription'>>;

/** The services that features provide to a process, by name. */
export type Provided = Joined<ReturnType<Extract<(typeof features)[number], { start: unknown }>['start']>['provides']>;

/** Starts the features in a process. @returns all of them as one, which ends one after the other in their order */
export function startFeatures(parts: ProcessParts): Required<Started> & { readonly provides: Provided } {
  const started = features.flatMap((feature) => ('start' in feature ? [feature.start(parts)] : []));
  const all: readonly Started[] = started;
  return {
    provides: join(started.map(({ provides }) => provides)),
    open: () => all.forEach(({ open }) => open?.()),
    receive: (change) => all.forEach(({ receive }) => receive?.(change)),
    recover: () => all.forEach(({ recover }) => recover?.()),
    close: async () => {
      for (const { close } of all) await close?.();
    },
  };
}

function routesOf({ routes: own }: Feature): readonly Route[] {
  return own;
}

/** The intersection of a union's types. */
type Joined<Part> = (Part extends unknown ? (part: Part) => void : never) extends (joined: infer Whole) => void
  ? Whole
  : never;

/** Joins the members of objects. @throws Error if two have a member of the same name: one would be lost */
function join<Part extends object>(parts: readonly Part[]): Joined<Part> {
  const members = new Map<string, unknown>();
  for (const [name, member] of parts.flatMap((part) => Object.entries(part))) {
    if (members.has(name)) throw new Error(`Two features have ${name}.`);
    members.set(name, member);
  }
  return Object.fromEntries(members) as Joined<Part>;
}

/** Joins resolvers: of each type, the fields of all features. */
function joinByType<Part extends Feature['graphql']>(parts: readonly Part[]): Joined<Part> {
  const types = new Set(parts.flatMap((part) => Object.keys(part) as (keyof Part)[]));
  const joined = [...types].map((type) => [type, join(parts.map((part): object => part[type] ?? {}))] as const);
  return Object.fromEntries(joined) as Joined<Part>;
}

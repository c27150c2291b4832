// The grammar of actor keys: what an access list can name, and which keys match a caller (docs/contract.md §3). Pure.
//
// PostgreSQL has a copy of it, the function `entryway_actors` (prisma/migrations), which brings the keys of `entries.acl`
// into their long form; test/both/db/actors.test.ts holds the two equal. The columns `read_grant` and `read_deny`, which lists
// and fetches are filtered by, are generated from it and STORED: a migration that replaces the function leaves them as they
// were in all rows that exist. It has to write these rows, too, in batches where there are many, and before the service
// uses the new keys: UPDATE "entries" SET "acl" = "acl" WHERE "acl" <> '{}'.

/** A customer as access control sees one. */
export interface CustomerActor {
  readonly id: string;
  readonly roles: readonly string[];
}

/** Whom access control checks: a visitor who is not signed in, or a customer. */
export type CheckedSubject = { readonly is: 'anonymous' } | ({ readonly is: 'customer' } & CustomerActor);

/**
 * Whom a rule is asked about: a master token that bypasses access control, or a subject that is checked. Only `makeViewer`
 * (callers.ts) makes an `unchecked` one.
 */
export type Subject = { readonly is: 'unchecked' } | CheckedSubject;

/** Keys of one word: everyone, and any customer who is signed in. */
export const actorWords = ['*', 'users'] as const;

/** Kinds of actors that have names, as in the key `role:editor`; and the names of each kind that a customer has. */
const namedKinds: Readonly<Record<string, (customer: CustomerActor) => readonly string[]>> = {
  id: ({ id }) => [id],
  role: ({ roles }) => roles,
};

/** How the keys of actors that have names begin. */
export const actorPrefixes: readonly string[] = Object.keys(namedKinds).map((kind) => `${kind}:`);

/** How long the name of an actor may be: a customer's id, or a role. */
export const maxActorNameLength = 255;
export const maxActorKeyLength = Math.max(...actorPrefixes.map(({ length }) => length)) + maxActorNameLength;

/** Whether a text is an actor key in its long form. No customer may have such an id, which would pass for another actor. */
export function isLongActorKey(text: string): boolean {
  return actorWords.some((word) => word === text) || actorPrefixes.some((prefix) => text.startsWith(prefix));
}

/** An actor key in its long form: any other text is short for `id:<that text>`. */
export function longActorKey(key: string): string {
  return isLongActorKey(key) ? key : `id:${key}`;
}

/** Whether a key names no actor at all: nothing, or a kind without a name. */
export function isEmptyActorKey(key: string): boolean {
  return key === '' || actorPrefixes.includes(key);
}

/** The actor keys, in their long form, that match a subject. */
export function actorKeys(subject: CheckedSubject): string[] {
  if (subject.is === 'anonymous') return ['*'];
  const named = Object.entries(namedKinds).flatMap(([kind, listNames]) =>
    listNames(subject).map((name) => `${kind}:${name}`),
  );
  return [...actorWords, ...named];
}

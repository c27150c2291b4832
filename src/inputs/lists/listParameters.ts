// The query parameters of lists, declared once. Every other parameter of a list is a comparison with a field, so no field can
// have one of these names.

/** The requests with list parameters: the list, its count, or the fetch of one entry. */
type Taker = 'list' | 'count' | 'fetch';

/** By name: the requests that accept it. Every request accepts `use_acl`, which is read before the others. */
const takersByParameter = {
  page: ['list'],
  per_page: ['list'],
  cursor: ['list'],
  sort: ['list'],
  where: ['list', 'count'],
  q: ['list', 'count'],
  only: ['list', 'fetch'],
  include: ['list', 'fetch'],
  as: ['list', 'count', 'fetch'],
  at: ['list', 'count', 'fetch'],
  use_acl: [],
} as const satisfies Record<string, readonly Taker[]>;

export type ListParameter = keyof typeof takersByParameter;

/** The names of all parameters. */
export const listParameters = Object.keys(takersByParameter) as ListParameter[];

/** Names of the same parameters in other services, and their names here. */
export const lookAlikes: ReadonlyMap<string, ListParameter> = new Map(
  Object.entries({
    per_page: ['limit', 'perPage', 'pageSize', 'page_size'],
    page: ['offset'],
    sort: ['order', 'order_by', 'orderBy'],
    only: ['fields', 'select'],
    where: ['filter'],
    q: ['search'],
    include: ['expand', 'populate'],
  } satisfies Partial<Record<ListParameter, readonly string[]>>).flatMap(([parameter, names]) =>
    names.map((name) => [name, parameter as ListParameter] as const),
  ),
);

/** Whether a name is that of a list parameter, so that no field can have it. */
export function isListParameter(name: string): name is ListParameter {
  return Object.hasOwn(takersByParameter, name);
}

/** The parameters that a request accepts besides `use_acl`. */
export const parametersTaken: Record<Taker, readonly ListParameter[]> = {
  list: takenBy('list'),
  count: takenBy('count'),
  fetch: takenBy('fetch'),
};

function takenBy(taker: Taker): ListParameter[] {
  return listParameters.filter((name) => (takersByParameter[name] as readonly Taker[]).includes(taker));
}

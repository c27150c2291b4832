// The query parameters of lists, declared once. The routes take these, and no field and no comparison can have such a name:
// every other parameter of a list is a comparison with a field.

/** What takes a parameter: the list, its count, or the fetch of one entry. */
type Taker = 'list' | 'count' | 'fetch';

/** By name: what takes it besides the list. `use_acl` is taken by every route, and read before the others. */
const takersByParameter = {
  page: ['list'],
  per_page: ['list'],
  cursor: ['list'],
  sort: ['list'],
  where: ['list', 'count'],
  q: ['list', 'count'],
  only: ['list', 'fetch'],
  include: ['list', 'fetch'],
  use_acl: [],
} as const satisfies Record<string, readonly Taker[]>;

export type ListParameter = keyof typeof takersByParameter;

/** The names of all parameters. */
export const listParameters = Object.keys(takersByParameter) as ListParameter[];

/** Whether a name is a parameter's, so that it cannot be that of a field. */
export function isListParameter(name: string): name is ListParameter {
  return Object.hasOwn(takersByParameter, name);
}

/** The parameters that a route takes besides `use_acl`. */
export const parametersTaken: Record<Taker, readonly ListParameter[]> = {
  list: takenBy('list'),
  count: takenBy('count'),
  fetch: takenBy('fetch'),
};

function takenBy(taker: Taker): ListParameter[] {
  return listParameters.filter((name) => (takersByParameter[name] as readonly Taker[]).includes(taker));
}

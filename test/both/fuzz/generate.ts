// The next request of a run: a real one of some caller, with some mutations. Chance alone decides, never an answer, so
// that a seed gives the same requests again.
import { seeded, type Random } from '../../support/random.ts';
import { callers } from './callers.ts';
import { graphqlSeeds } from './corpus.graphql.ts';
import { restSeeds } from './corpus.rest.ts';
import { byteChanges } from './mutate.bytes.ts';
import { graphqlMutations } from './mutate.graphql.ts';
import { httpMutations, type Mutation } from './mutate.http.ts';
import { mutateJson } from './mutate.json.ts';
import { wireOf, type Draft, type Wire } from './request.ts';
import { sendable } from './send.ts';

const seeds = {
  vault: { rest: restSeeds('vault'), graphql: graphqlSeeds('vault') },
  play: { rest: restSeeds('play'), graphql: graphqlSeeds('play') },
};

/** The share of bodies whose bytes are spoilt. */
const spoiltShare = 0.12;

/** How many mutations a request gets. */
const amounts = [0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 5];

const body: Mutation = (draft, random) =>
  draft.body !== null && 'json' in draft.body
    ? { ...draft, body: { json: mutateJson(draft.body.json, random) } }
    : draft;

/** What a request is made of: a real one, and the seeds of its mutations, each of which may be left out. */
export interface Plan {
  readonly draft: Draft;
  readonly changes: readonly number[];
  /** The seed of what is done to the body's bytes; null: nothing. */
  readonly spoils: number | null;
}

const anySeed = (random: Random): number => random.upTo(2 ** 30);

/** What the next request is made of. */
export function nextPlan(random: Random): Plan {
  const { site, headers } = random.pick(callers);
  const seed = random.pick(random.chance(0.5) ? seeds[site].rest : seeds[site].graphql);
  return {
    draft: { ...seed, headers: [...headers, ...seed.headers] },
    changes: Array.from({ length: random.pick(amounts) }, () => anySeed(random)),
    spoils: random.chance(spoiltShare) ? anySeed(random) : null,
  };
}

/** The request of a plan. */
export function wireFor({ draft: real, changes, spoils }: Plan): Wire {
  let draft = real;
  const steps: string[] = [];
  for (const random of changes.map(seeded)) {
    const [step, mutation] = pickMutation(draft, random);
    draft = mutation(draft, random);
    steps.push(step);
  }
  const wire = sendable(wireOf(draft, steps));
  if (spoils === null || wire.body === null) return wire;
  const random = seeded(spoils);
  const [step, change] = random.pick(byteChanges);
  return { ...change(wire, random), steps: [...steps, step] };
}

function pickMutation(draft: Draft, random: Random): readonly [string, Mutation] {
  if (draft.body === null || random.chance(0.35)) return random.pick(httpMutations);
  return 'json' in draft.body ? ['body', body] : random.pick(graphqlMutations);
}

/** The fewest of a plan's mutations after which the answer is still wrong. */
export async function minimise(plan: Plan, isWrong: (wire: Wire) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  const without = [
    (): Plan => ({ ...smallest, spoils: null }),
    ...plan.changes.map((change) => (): Plan => {
      return { ...smallest, changes: smallest.changes.filter((each) => each !== change) };
    }),
  ];
  for (const smaller of without) if (await isWrong(wireFor(smaller()))) smallest = smaller();
  return smallest;
}

// The next request of a run: a real one of some caller, with some mutations. Chance alone decides, never an answer, so
// that a seed gives the same requests again.
import { callers } from './callers.ts';
import { graphqlSeeds } from './corpus.graphql.ts';
import { restSeeds } from './corpus.rest.ts';
import { broken, byteChanges } from './mutate.bytes.ts';
import { graphqlMutations } from './mutate.graphql.ts';
import { httpMutations, type Mutation } from './mutate.http.ts';
import { mutateJson } from './mutate.json.ts';
import { encoded, wireOf, type Draft, type Wire } from './request.ts';
import type { Random } from './random.ts';
import { isSendable, messageOf } from './send.ts';

const seeds = {
  vault: { rest: restSeeds('vault'), graphql: graphqlSeeds('vault') },
  play: { rest: restSeeds('play'), graphql: graphqlSeeds('play') },
};

/** The share of messages that are broken as a whole, and of bodies whose bytes are spoilt. */
const brokenShare = 0.05;
const spoiltShare = 0.12;

/** How many mutations a request gets. */
const amounts = [0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 5];

const body: Mutation = (draft, random) =>
  draft.body !== null && 'json' in draft.body
    ? { ...draft, body: { json: mutateJson(draft.body.json, random) } }
    : draft;

/** A request. */
export function nextWire(random: Random): Wire {
  const { site, headers } = random.pick(callers);
  const seed = random.pick(random.chance(0.5) ? seeds[site].rest : seeds[site].graphql);
  let draft: Draft = { ...seed, headers: [...headers, ...seed.headers] };
  const steps: string[] = [];
  for (let left = random.pick(amounts); left > 0; left -= 1) {
    const [step, mutation] = pickMutation(draft, random);
    draft = mutation(draft, random);
    steps.push(step);
  }
  const wire = wireOf(draft, steps);
  if (random.chance(brokenShare)) return { ...broken(wire, random), steps: [...steps, 'broken message'] };
  return sendable(random.chance(spoiltShare) && wire.body !== null ? spoilt(wire, random) : wire);
}

function pickMutation(draft: Draft, random: Random): readonly [string, Mutation] {
  if (draft.body === null || random.chance(0.35)) return random.pick(httpMutations);
  return 'json' in draft.body ? ['body', body] : random.pick(graphqlMutations);
}

function spoilt(wire: Wire, random: Random): Wire {
  const [step, change] = random.pick(byteChanges);
  return { ...change(wire, random), steps: [...wire.steps, step] };
}

/** What Node's client refuses to send goes out byte by byte. */
export function sendable(wire: Wire): Wire {
  const target = /[^\x21-\x7e]/.test(wire.target) ? wire.target.replace(/[^\x21-\x7e]+/g, encoded) : wire.target;
  // Half of the odd characters in paths go out encoded, which is what clients do.
  const tidy = wire.target.length % 2 === 0 ? { ...wire, target } : wire;
  return isSendable(tidy) ? tidy : { ...tidy, raw: messageOf(tidy) };
}

// The order of checks (docs/contract.md §5.8) at every door. Each line of refusals.table.*.ts is tried by itself: the refusal, the
// headers that tell what to do, and what it counts against the rates. Then requests have two faults: the one whose line comes first
// is refused. Each fault is tried with the nearest ones before and behind it that can be in the same request; with
// EVERY_PAIR=on, with all.
import { afterAll, describe, expect, test } from '@jest/globals';
import { send } from '../../support/as.ts';
import { usualRequest } from '../../support/refusals/asked.ts';
import { codeOf, tellingHeaders, type Answer } from '../../support/refusals/answer.ts';
import { Stage, type Tried } from '../../support/refusals/stage.ts';
import { httpTable } from './doors.ts';
import { partOfBoth } from './refusals.faults.ts';
import type { Ladder, Rung } from './refusals.ts';
import { ladders, sharedParts } from './refusals.table.ts';

const stage = await Stage.open();
afterAll(() => stage.close());

const everyPair = process.env['EVERY_PAIR'] === 'on';
/** How many requests are under way at the same time: few, so that none waits for its turn. */
const together = 4;
/** The same for those that take seconds, in which nothing happens. */
const waitingTogether = 40;

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  lanes = together,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items.entries()];
  const workOn = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: lanes }, workOn));
  return results;
}

function ask({ usual }: Ladder, ...rungs: readonly Rung[]): Promise<Tried> {
  const asked = usualRequest(usual);
  for (const { fault } of rungs) fault.spoil(asked);
  return stage.try(asked);
}

/** The faults that an answer may be the refusal of: one, unless two look alike or it is none of them. */
function refusedBy(pair: Pair, answer: Answer): string[] {
  const [status, code] = [answer.status, codeOf(answer)];
  return pair
    .filter(({ fault, ...rung }) => rung.status === status && rung.code === code && fault.says.test(answer.text))
    .map(({ fault }) => fault.name);
}

type Pair = readonly [first: Rung, second: Rung];

/** The pairs of a ladder that can be in one request: all, or each rung with its nearest on both sides. */
function pairsOf({ rungs }: Ladder): Pair[] {
  const pairs = rungs.flatMap((first, at) => rungs.slice(at + 1).map((second): Pair => [first, second]));
  const possible = pairs.filter(([first, second]) => partOfBoth(first.fault, second.fault) === null);
  if (everyPair) return possible;
  return possible.filter(
    ([first, second], at) =>
      possible.findIndex(([each]) => each === first) === at ||
      possible.findLastIndex(([, each]) => each === second) === at,
  );
}

/** What a rung says is answered to its fault alone, in the form of its line. */
function lineOf({ fault, status, code, counts, tells }: Rung): string {
  return [fault.name, status, code, counts, tells].join(' | ');
}

async function tryRung(ladder: Ladder, rung: Rung): Promise<string> {
  const { answer, charged } = await ask(ladder, rung);
  const counts = rung.counts === '-' ? '-' : await charged();
  const found = lineOf({ ...rung, status: answer.status, code: codeOf(answer), counts, tells: tellingHeaders(answer) });
  return rung.fault.says.test(answer.text) ? found : `${found} | ${answer.text.slice(0, 300)}`;
}

async function tryPair(ladder: Ladder, pair: Pair): Promise<string> {
  const [first, second] = pair;
  const { answer } = await ask(ladder, first, second);
  const names = refusedBy(pair, answer);
  return `${first.fault.name} + ${second.fault.name}: ${names.length > 0 ? names.join() : answer.text.slice(0, 300)}`;
}

const winnerOf = ([{ fault }, second]: Pair): string => `${fault.name} + ${second.fault.name}: ${fault.name}`;

/** Whether it takes seconds until the answer comes. */
const isSlow = ({ fault }: Rung): boolean => fault.name === 'slow body';

describe.each(ladders)('$door', (ladder) => {
  const rungs = ladder.rungs.filter((rung) => !isSlow(rung));
  const pairs = pairsOf(ladder).filter((pair) => !pair.some(isSlow));

  test('the door refuses each fault by itself, as its ladder says', async () => {
    const found = await inTurns(rungs, (rung) => tryRung(ladder, rung));
    expect(found).toEqual(rungs.map(lineOf));
  });

  test('the door refuses the first of two faults', async () => {
    const found = await inTurns(pairs, (pair) => tryPair(ladder, pair));
    expect(found).toEqual(pairs.map(winnerOf));
  });

  test('the door answers a request without a fault', async () => {
    const { answer } = await ask(ladder);
    const [always] = ladder.rungs.filter(({ fault }) => fault.parts.length === 0);
    expect([answer.status, codeOf(answer)]).toEqual(always ? [always.status, always.code] : [ladder.answers, '-']);
  });
});

test('a door waits for a missing body if its ladder says so', async () => {
  const waits = ladders.flatMap((ladder) => [
    ...ladder.rungs.filter(isSlow).map((rung) => {
      return { expected: [ladder.door, lineOf(rung)], find: () => tryRung(ladder, rung), door: ladder.door };
    }),
    ...pairsOf(ladder)
      .filter((pair) => pair.some(isSlow))
      .map((pair) => {
        return { expected: [ladder.door, winnerOf(pair)], find: () => tryPair(ladder, pair), door: ladder.door };
      }),
  ]);
  expect(waits.length).toBeGreaterThan(0);
  const found = await inTurns(waits, async ({ door, find }) => [door, await find()], waitingTogether);
  expect(found).toEqual(waits.map(({ expected }) => expected));
});

describe('GET /metrics, at its own port', () => {
  test.each([
    ['another path', 'GET', '/channels', 404, null],
    ['another path with another method', 'POST', '/channels', 404, null],
    ['another method', 'POST', '/metrics', 405, 'GET, HEAD'],
    ['nothing', 'GET', '/metrics', 200, null],
  ] as const)(
    'the port of the metrics answers GET /metrics alone: %s is wrong',
    async (_what, method, path, status, allow) => {
      const { status: found, headers } = await send({ url: stage.metricsUrl }, method, path);
      expect([found, headers.get('allow'), headers.get('ratelimit')]).toEqual([status, allow, null]);
    },
  );
});

/** Faults that cannot be in one request, by the part that both need: all others are tried, these are not. */
test('two faults are left untried in one request only if both need the same part of it', () => {
  const apart = new Set(
    ladders.flatMap(({ rungs }) =>
      rungs.flatMap(({ fault }, at) =>
        rungs.slice(at + 1).flatMap((later) => {
          const part = partOfBoth(fault, later.fault);
          return part === null ? [] : [part];
        }),
      ),
    ),
  );
  expect([...apart].sort()).toEqual(sharedParts);
});

test('each door has a ladder, and each ladder a door', () => {
  const named = ladders.flatMap(({ routes }) => routes);
  expect([...httpTable.keys()].filter((door) => !named.includes(door))).toEqual([]);
  expect(named.filter((door) => !httpTable.has(door))).toEqual([]);
});

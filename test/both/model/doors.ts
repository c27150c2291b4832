// Holds the doors against the models, REST and both schemas of GraphQL: what lists, fetches and counts tell every caller, and the rights to update and delete.
import { expect } from '@jest/globals';
import { checkExplanations, checkPreviews } from './explain.ts';
import { checkGraphql } from './graphql.ts';
import { found, questionFor, restIds, restList, rowsOf, type Question } from './lists.ts';
import type { Note } from './model.ts';
import { answerAt, noVersion, placesFor, type Place } from './places.ts';
import { checkTyped } from './typed.ts';
import type { World, WorldCaller, WorldChannel } from './world.ts';

/**
 * All doors answer every caller what the model says: lists, counts, fetches, and the rights to update and delete. What
 * cannot have changed (the same entry or entries in the same state, channel and caller) is not asked again; but for lists,
 * at the end of a history. The schema of the site, which is another one after each change of a channel, is asked by every
 * other caller. With each list goes one of a filter, a search and an include, in turns; at the end REST is asked
 * for all of them.
 */
export async function checkDoors(world: World, isEnd: boolean, note: Note): Promise<void> {
  for (const caller of world.callers) {
    const channels = caller.site.channels.filter((channel) => hasListChanged(world, caller, channel) || isEnd);
    const places = placesFor(world, caller).filter((place) => hasPlaceChanged(world, caller, place));
    await Promise.all([
      checkRest(world, caller, channels, places, { isEnd, note }),
      checkGraphql(world, caller, channels, places, note),
      ...(world.turn % 2 === 0 ? [checkTyped(world, caller, channels, places, note)] : []),
      checkExplanations(world, caller, places),
      checkPreviews(world, caller, channels),
    ]);
    world.turn += 1;
  }
}

function hasListChanged(world: World, caller: WorldCaller, channel: WorldChannel): boolean {
  const states = world.entriesOf(caller.site, channel).map(({ id, state }) => [id, state]);
  const rows = rowsOf(world, caller, channel, true);
  return hasChanged(world, caller, channel.id, [world.asker(caller), channel.rules, states, rows]);
}

function hasPlaceChanged(world: World, caller: WorldCaller, { channel, entry }: Place): boolean {
  const isHere = entry.channel === channel;
  const state = isHere && [world.asker(caller), channel.rules, entry.state];
  return hasChanged(world, caller, `${channel.id} ${entry.id}`, state);
}

/** Whether anything that an answer depends on is not as it was when this was last asked. */
function hasChanged(world: World, caller: WorldCaller, question: string, state: unknown): boolean {
  const key = `${caller.name} ${question}`;
  const now = JSON.stringify([world.headers(caller), state]);
  const before = world.asked.get(key);
  world.asked.set(key, now);
  return now !== before;
}

async function checkRest(
  world: World,
  caller: WorldCaller,
  channels: readonly WorldChannel[],
  places: readonly Place[],
  { isEnd, note }: { isEnd: boolean; note: Note },
): Promise<void> {
  const answers: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  const ask = async (key: string, value: unknown, answer: Promise<unknown>): Promise<void> => {
    expected[key] = value;
    answers[key] = await answer;
  };
  const stale = { 'If-Match': `"${noVersion}.x"` };
  const status = async (method: string, path: string, body?: unknown): Promise<number> =>
    (await world.rest(caller, method, path, body, method === 'GET' ? {} : stale)).status;
  const questions: Promise<void>[] = [];
  for (const channel of channels) {
    const rows = rowsOf(world, caller, channel, false, note);
    const total = String(rows.length);
    questions.push(
      ask(`list ${channel.id}`, [rows, total], restList(world, caller, channel, '')),
      ask(
        `count ${channel.id}`,
        { count: rows.length },
        world.rest(caller, 'GET', `/channels/${channel.id}/entries/count`).then(({ body }) => body),
      ),
    );
    for (const question of restQuestions(world.turn, isEnd, channel)) {
      if (question === 'include') {
        const embedding = rowsOf(world, caller, channel, true, note);
        const list = restList(world, caller, channel, '&include=friend,friends');
        questions.push(ask(`include ${channel.id}`, [embedding, total], list));
      } else {
        const ids = found(world, caller, channel, question, note);
        const list = restIds(world, caller, channel, `&${question.rest}`);
        questions.push(ask(`${question.rest} ${channel.id}`, [ids, String(ids.length)], list));
      }
    }
  }
  for (const { channel, entry } of places) {
    const { sees, ...rights } = answerAt(world, caller, channel, entry);
    const at = `/channels/${channel.id}/entries/${entry.id}`;
    questions.push(
      ask(`fetch ${at}`, sees ? 200 : 404, status('GET', at)),
      ask(`update ${at}`, rights.update === 'may' ? 412 : rights.update, status('PATCH', at, {})),
      ask(`delete ${at}`, rights.delete === 'may' ? 412 : rights.delete, status('DELETE', at)),
    );
  }
  await Promise.all(questions);
  expect({ rest: caller.name, ...answers }).toEqual({ rest: caller.name, ...expected });
}

/** What is asked of a list besides all that is in it. */
function restQuestions(turn: number, isEnd: boolean, { leads }: WorldChannel): (Question | 'include')[] {
  const isIncluding = leads !== null && (isEnd || turn % 2 === 0);
  const asked = isEnd || !isIncluding ? [questionFor(turn)] : [];
  return [...(isIncluding ? ['include' as const] : []), ...asked];
}

// What has to hold of a database that was restored from a backup, for the drills.
import { runCommand } from '../scratchService.mjs';
import { FeedReader } from './feedReader.mjs';
import { send } from './writers.mjs';

/**
 * The entries that are not as far as was acknowledged before the moment of a backup.
 * @param acknowledged what had been acknowledged by then, `finally_` by the end: the writers' `entries`
 * @param found the entries of the restored database
 */
export function findLost(acknowledged, finally_, found) {
  const steps = new Map(found.map(({ id, step }) => [id, step]));
  const isLost = ([id, told]) => {
    if (told.includes('entry.deleted')) return steps.has(id);
    const step = steps.get(id) ?? (finally_.get(id).includes('entry.deleted') ? Infinity : 0);
    return step < told.length;
  };
  return [...acknowledged].filter(isLost).map(([id]) => id);
}

/** The entries of which the restored feed, read from a cursor of the original, tells otherwise than they are. */
export async function findWrongChanges(url, token, cursor, found) {
  const reader = new FeedReader(url, token, cursor);
  await reader.finish();
  const told = new Map();
  for (const { id, type } of reader.changes) if (id !== null) told.set(id, [...(told.get(id) ?? []), type]);
  const wrong = found.filter(({ id, step }) => {
    const expected = ['entry.created', 'entry.updated'].slice(0, step).join();
    const isRight = told.get(id)?.join() === expected;
    told.delete(id);
    return !isRight;
  });
  const gone = [...told].filter(([, types]) => types.join() !== 'entry.created,entry.updated,entry.deleted');
  return [...wrong.map(({ id }) => id), ...gone.map(([id]) => id)];
}

/**
 * What else has to hold of a restored database, and does not, in words.
 * @param path that of the writers' entries, `entries` how many of them there are
 * @param laterCursor one that the original has given after the moment of the backup
 */
export async function checkCopy(env, url, { token, path, laterCursor, entries }) {
  const wrong = [];
  const expect = (what, is) => is || wrong.push(what);
  const migrations = await runCommand(env, ['migrate', 'status']);
  expect(
    'a migration is not applied',
    migrations.every(({ state }) => state === 'applied'),
  );
  const { body: counted } = await send(url, token, 'GET', `${path}/count`);
  expect(`the count is ${counted.count}, and not ${entries}`, counted.count === entries);
  const later = await send(url, token, 'GET', `/changes?after=${laterCursor}`);
  expect(`a cursor from after the backup: ${later.status}, and not 410`, later.status === 410);
  const written = await send(url, token, 'POST', path, { step: 1 });
  expect(`a write: ${written.status}`, written.status === 201);
  return wrong;
}

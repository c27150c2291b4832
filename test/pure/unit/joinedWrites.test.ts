// Writes that are run together: which are, and what becomes of each (src/joinedWrites.ts, src/entries/joinCreates.ts).
import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntryStatements } from '../../../src/database/statements.ts';
import { joinCreates } from '../../../src/entries/joinCreates.ts';
import type { TimedDraft } from '../../../src/entries/draft.ts';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { JoinedWrites } from '../../../src/joinedWrites.ts';

/** Runs of numbers, which are noted; each ends when `end` is called. */
function openRuns() {
  const joined = new JoinedWrites();
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const write = (number: number, kind = 'a', characters = 1): Promise<number> =>
    joined.run(kind, number, characters, async (numbers: readonly number[]) => {
      runs.push([...numbers]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return numbers.map((one) => one * 10);
    });
  const end = (): void => ends.shift()?.();
  return { runs, write, end };
}

describe('writes of one kind', () => {
  test('that come in one turn of the event loop, or while others are under way, are run together', async () => {
    const { runs, write, end } = openRuns();
    const results = [write(1), write(2)];
    await sleep(1);
    results.push(write(3), write(4));
    expect(runs).toEqual([[1, 2]]);
    end();
    await sleep(1);
    expect(runs).toEqual([
      [1, 2],
      [3, 4],
    ]);
    end();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  });

  test('do not wait for long behind one that is held up', async () => {
    const { runs, write, end } = openRuns();
    const first = write(1);
    await sleep(5);
    const second = write(2);
    await sleep(100);
    expect(runs).toEqual([[1], [2]]);
    end();
    end();
    expect(await Promise.all([first, second])).toEqual([10, 20]);
  });

  test('are parted where they are many or large', async () => {
    const { runs, write, end } = openRuns();
    const many = Array.from({ length: 33 }, (_, number) => write(number));
    const large = [write(100, 'b', 200_000), write(101, 'b', 200_000), write(102, 'b', 1_000_000), write(103, 'b')];
    await sleep(5);
    expect(runs.map((run) => run.length)).toEqual([32, 1, 1, 1, 1, 1]);
    for (const _ of runs) end();
    await Promise.all([...many, ...large]);
  });

  test('are not run with those of another kind', async () => {
    const { runs, write, end } = openRuns();
    const results = [write(1, 'a'), write(2, 'b')];
    await sleep(5);
    expect(runs).toEqual([[1], [2]]);
    end();
    end();
    await Promise.all(results);
  });

  test('all fail where their run does, and the next ones are run', async () => {
    const joined = new JoinedWrites();
    const failing = (number: number): Promise<number> =>
      joined.run('a', number, 1, () => Promise.reject(new Error('no')));
    const results = await Promise.allSettled([failing(1), failing(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await joined.run('a', 3, 1, (numbers: readonly number[]) => Promise.resolve(numbers))).toBe(3);
  });
});

const channel = {
  siteId: 'site',
  id: 'articles',
  uid: 'uid',
  version: 1,
  fieldsVersion: 1,
  language: 'simple',
} as Channel;

function draft(id: string): TimedDraft {
  const values = {
    slug: id,
    status: 'draft',
    publishAt: null,
    acl: {},
    owner: null,
    data: {},
    kept: {},
    title: null,
  } as const;
  const derived = { indexed: [], searched: { a: '', b: '', c: '' } };
  return { draft: { id, shortId: id, values: { ...values, ...derived } }, now: new Date(0) };
}

/** A database that fails each statement which stores several entries, and each that stores `bad`. */
function failingStatements(code: string): EntryStatements & { readonly sent: number[] } {
  const sent: number[] = [];
  const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { code }));
  const write = <Row>({
    sql,
    values,
  }: {
    readonly sql: string;
    readonly values: readonly unknown[];
  }): Promise<Row[]> => {
    const isMany = sql.includes('entryway_create_entries');
    sent.push(isMany ? 2 : 1);
    return isMany || values.includes('bad') ? refuse() : Promise.resolve([{ outcome: 'duplicate' } as Row]);
  };
  return { sent, write, read: refuse, readPrepared: refuse };
}

describe('creates that are stored together', () => {
  const create = (code: string) => {
    const statements = failingStatements(code);
    const joined = new JoinedWrites();
    const store = joinCreates((...write) => joined.run(...write), statements);
    const outcomes = Promise.allSettled([store(channel, draft('good')), store(channel, draft('bad'))]);
    return { outcomes, statements };
  };

  test('are stored one by one where the database refuses one of them: the others are stored', async () => {
    const { outcomes, statements } = create('22001');
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(statements.sent).toEqual([2, 1, 1]);
  });

  test('are not sent again where nobody knows whether they are stored', async () => {
    const { outcomes, statements } = create('57P01');
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(statements.sent).toEqual([2]);
  });
});

// Items that are run together: their batches and their outcomes (src/base/batcher.ts, src/entries/sql/create.ts).
import { describe, expect, test } from '@jest/globals';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Batcher } from '../../../src/base/batcher.ts';
import { serviceActor } from '../../../src/rules/author.ts';
import type { AuthoredDraft } from '../../../src/entries/draft.ts';
import { blankMembers } from '../../../src/entries/members.ts';
import { entriesOn } from '../../../src/entries/model.ts';
import type { JoiningStatements } from '../../../src/entries/modelContext.ts';
import { openCreates } from '../../../src/entries/sql/create.ts';
import { measureTogether } from '../../../src/entries/clients/measuredClient.ts';
import type { Values } from '../../../src/fields/stored.ts';
import { Prisma, type Channel } from '../../../src/generated/prisma/client.ts';
import { storeDrafts } from '../../../src/entries/sql/write.ts';
import { RequestStats } from '../../../src/telemetry/requestStats.ts';

const limits = { maxItems: 32, maxSize: 262_144, maxWait: 20 };

/** Runs of numbers, which are noted; each ends when `end` is called. */
function openRuns() {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const sizes = new Map<number, number>();
  const batcher = new Batcher<number, number>({
    ...limits,
    sizeOf: (number) => sizes.get(number) ?? 1,
    run: async (numbers) => {
      runs.push([...numbers]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return numbers.map((one) => one * 10);
    },
  });
  const write = (number: number, key = 'a', size = 1): Promise<number> => {
    sizes.set(number, size);
    return batcher.add(key, number);
  };
  const end = (): void => ends.shift()?.();
  return { runs, write, end };
}

describe('items of one key', () => {
  test('items of one key in one turn of the event loop, or during others, run as one batch', async () => {
    const { runs, write, end } = openRuns();
    const results = [write(1), write(2)];
    await nextTurn();
    results.push(write(3), write(4));
    expect(runs).toEqual([[1, 2]]);
    end();
    await nextTurn();
    expect(runs).toEqual([
      [1, 2],
      [3, 4],
    ]);
    end();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  });

  test('a write does not wait long behind a blocked batch', async () => {
    const { runs, write, end } = openRuns();
    const first = write(1);
    await nextTurn();
    const second = write(2);
    await sleep(100);
    expect(runs).toEqual([[1], [2]]);
    end();
    end();
    expect(await Promise.all([first, second])).toEqual([10, 20]);
  });

  test('many or large writes are split into several batches', async () => {
    const { runs, write, end } = openRuns();
    const many = Array.from({ length: 33 }, (_, number) => write(number));
    const large = [write(100, 'b', 200_000), write(101, 'b', 200_000), write(102, 'b', 1_000_000), write(103, 'b')];
    await nextTurn();
    expect(runs.map((run) => run.length)).toEqual([32, 1, 1, 1, 1, 1]);
    for (const _ of runs) end();
    await Promise.all([...many, ...large]);
  });

  test('items of different keys never run in one batch', async () => {
    const { runs, write, end } = openRuns();
    const results = [write(1, 'a'), write(2, 'b')];
    await nextTurn();
    expect(runs).toEqual([[1], [2]]);
    end();
    end();
    await Promise.all(results);
  });

  test('all items of a failed batch fail, and the next batch runs', async () => {
    const batcher = new Batcher<number, number>({
      ...limits,
      sizeOf: () => 1,
      run: (numbers) => (numbers.includes(1) ? Promise.reject(new Error('no')) : Promise.resolve(numbers)),
    });
    const results = await Promise.allSettled([batcher.add('a', 1), batcher.add('a', 2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await batcher.add('a', 3)).toBe(3);
  });

  test('a batch with fewer results than items fails: no item gets the result of another', async () => {
    const batcher = new Batcher<number, number>({ ...limits, sizeOf: () => 1, run: () => Promise.resolve([1]) });
    const results = await Promise.allSettled([batcher.add('a', 1), batcher.add('a', 2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('the size of an item that runs alone is not measured', async () => {
    const sizeOf = (): never => {
      throw new Error('measured');
    };
    const batcher = new Batcher<number, number>({ ...limits, sizeOf, run: (numbers) => Promise.resolve(numbers) });
    expect(await batcher.add('a', 1)).toBe(1);
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

function draft(id: string, data: Values = {}): AuthoredDraft {
  const values = {
    ...blankMembers,
    slug: id,
    data,
    kept: {},
    title: null,
  } as const;
  const derived = { indexed: [], searched: { a: '', b: '', c: '' } };
  return { draft: { id, shortId: id, values: { ...values, ...derived } }, actor: serviceActor, now: new Date(0) };
}

/** What reaches the database: how many entries a statement stores, and for how many requests. */
interface Sent {
  readonly entries: number;
  readonly requests: number;
}

/** A database that fails each statement which stores several entries, and each that stores `bad`; null: it fails none. */
function openDatabase(code: string | null) {
  const sent: Sent[] = [];
  const answer = async <Row>({ values }: Prisma.Sql, requests: number): Promise<Row[]> => {
    await sleep(20);
    const [document] = values.filter((value) => typeof value === 'string' && value.startsWith('[{'));
    const drafts = document === undefined ? null : (JSON.parse(document as string) as { id: string }[]);
    sent.push({ entries: drafts?.length ?? 1, requests });
    if (code !== null && (drafts !== null || values.includes('bad'))) throw Object.assign(new Error('no'), { code });
    const rows = drafts?.map(({ id }) => ({ id, outcome: 'stale' })) ?? [{ outcome: 'duplicate' }];
    return rows as Row[];
  };
  const connect = (account: RequestStats): JoiningStatements => ({
    account,
    read: (statement) => answer(statement, 1),
    readPrepared: (statement) => answer(statement, 1),
    write: (statement) => account.measure(() => answer(statement, 1)),
    writeTogether: (accounts, statement) => measureTogether(accounts, () => answer(statement, accounts.length)),
  });
  return { sent, connect };
}

describe('creates that are stored together', () => {
  /** Creates entries at the same time, each by a request of its own. */
  async function createAll(code: string | null, drafts: readonly AuthoredDraft[]) {
    const { sent, connect } = openDatabase(code);
    const batcher = openCreates();
    const accounts = drafts.map(() => new RequestStats());
    const outcomes = await Promise.allSettled(
      accounts.map((account, index) => {
        const statements = connect(account);
        const creates = { batcher, caller: 'caller', statements };
        const authored = drafts[index] ?? draft('');
        return entriesOn(statements, { counts: null, creates }).insertDraft(channel, authored.draft, authored);
      }),
    );
    return {
      statuses: outcomes.map(({ status }) => status),
      accounts,
      entries: sent.map(({ entries }) => entries),
      sent,
    };
  }
  const two = [draft('good'), draft('bad')];

  test.each(['22001', '23514', '54000', '55P03', '40P01'])(
    'creates of a batch are stored one by one if the database refuses one of them, or a lock is taken: %s',
    async (code) => {
      const { statuses, entries } = await createAll(code, two);
      expect(statuses).toEqual(['fulfilled', 'rejected']);
      expect(entries).toEqual([2, 1, 1]);
    },
  );

  test.each(['57P01', '08006', '57014', '25006', '53100', '40001'])(
    'creates are not sent again if their outcome is unknown, or the database cannot store them: %s',
    async (code) => {
      const { statuses, entries } = await createAll(code, two);
      expect(statuses).toEqual(['rejected', 'rejected']);
      expect(entries).toEqual([2]);
    },
  );

  test('a batch of creates counts for each request, with its whole time and one row', async () => {
    const { sent, accounts } = await createAll(null, [draft('a'), draft('b'), draft('c')]);
    expect(sent).toEqual([{ entries: 3, requests: 3 }]);
    expect(accounts.map(({ rows }) => rows)).toEqual([1, 1, 1]);
    for (const { databaseMilliseconds } of accounts) expect(databaseMilliseconds).toBeGreaterThan(10);
  });

  test('creates that are stored one by one count for their own request alone', async () => {
    const { accounts } = await createAll('55P03', [draft('a'), draft('b')]);
    expect(accounts.map(({ rows }) => rows)).toEqual([1, 1]);
  });

  test('a create with taken values is told its unique fields in their declared order', async () => {
    const indexed = ['rank', 'code'].map((field) => ({ field, value: 'x', key: 'tx', unique: true }));
    const drafts = ['a', 'b']
      .map((id) => draft(id).draft)
      .map((each) => ({ ...each, values: { ...each.values, indexed } }));
    const outcome = 'taken\ncode\nrank';
    const write = <Row>(): Promise<Row[]> => Promise.resolve(drafts.map(({ id }) => ({ id, outcome }) as Row));
    const together = { drafts, documents: ['{}', '{}'], create: Prisma.sql`create` };
    const taken = ['rank', 'code'];
    expect(await storeDrafts({ write }, channel, together)).toEqual([{ taken }, { taken }]);
  });

  test('batches of creates are split by the size of their entries', async () => {
    const large = 'x'.repeat(150_000);
    expect((await createAll(null, [draft('a', { large }), draft('b', { large }), draft('c')])).entries).toEqual([1, 2]);
  });

  test('creates of a batch are stored one by one if two have one id', async () => {
    expect((await createAll(null, [draft('a'), draft('a'), draft('b')])).entries).toEqual([1, 1, 1]);
  });
});

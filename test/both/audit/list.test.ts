// The audit log as it is read (docs/contract.md §13.6): by REST, by GraphQL and by the command line, with filters and pages; and how
// long it is kept.
import { describe, expect, test } from '@jest/globals';
import { makeCall, type CallInput, type CallResult } from '../../../src/cli/operator/operatorCalls.ts';
import { createDemo } from '../../../src/cli/demo/demo.ts';
import { readConfig } from '../../../src/config/config.ts';
import { deleteOldAuditRecords } from '../../../src/resolvers/auditRecords.ts';
import { as } from '../../support/as.ts';
import { buildAuditRecord, buildCustomer, buildSite, buildUser } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { demoClient, testDatabase } from '../../support/db.ts';
import { time, uuid } from '../../support/managed.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', TRUST_PROXY: '1' });

interface ListedRecord {
  readonly id: string;
  readonly at: string;
  readonly type: string;
  readonly subject: string;
  readonly action: string;
  readonly actor: Record<string, unknown>;
  readonly before: unknown;
  readonly after: unknown;
}

async function list(input: Partial<CallInput<'listAudit'>>): Promise<CallResult<'listAudit'>> {
  const place = { database: app.database, limits: readConfig({}).limits, now: new Date() };
  const call = await makeCall('listAudit', { first: 100, after: null, ...input }, place);
  return JSON.parse(JSON.stringify(call)) as CallResult<'listAudit'>;
}

const namesOf = (records: readonly { type: string; action: string; subject: string }[]): string[] =>
  records.map(({ type, action, subject }) => `${type} ${subject} ${action}`);

describe('a record', () => {
  test('an audit record has the actor, the change, its time and address, and only the members that changed', async () => {
    const { db, site, master } = await buildScene(app);
    const { id: token } = await db.token.findFirstOrThrow({ where: { siteId: site.id, kind: 'master' } });
    const headers = { 'X-Forwarded-For': '192.0.2.7', 'X-Request-Id': 'req-1' };
    const body = {
      name: 'New',
      typeName: 'Article',
      acl: { create: 'shared' },
      fields: [{ name: 'title', type: 'string' }],
    };
    expect((await master.rest('PATCH', '/channels/articles', { body, headers })).status).toBe(200);
    const { body: found } = await master.rest<ListedRecord[]>('GET', '/audit');
    const field = { name: 'title', type: 'string' };
    const acl = { create: 'none', read: 'public', update: 'none', delete: 'none' };
    const [before] = found.map((record) => record.before as { name: string; acl: Record<string, string> });
    expect(found).toEqual([
      {
        ...{ id: uuid, at: time, type: 'channel', subject: 'articles', action: 'updated' },
        actor: { kind: 'master', token, user: null, customer: null, name: null },
        before: { name: before?.name, type_name: null, typeName: null, acl: before?.acl, fields: [] },
        after: {
          ...{ name: 'New', type_name: 'Article', typeName: 'Article', acl: { ...before?.acl, create: 'shared' } },
          fields: [expect.objectContaining(field)],
        },
        ...{ request_id: 'req-1', address: '192.0.2.7' },
      },
    ]);
    expect(Object.keys(before?.acl ?? {}).sort()).toEqual(Object.keys(acl).sort());
    expect(before?.name).not.toBe('New');
  });

  test('an audit record is the same over GraphQL', async () => {
    const { master } = await buildScene(app);
    const { body: made } = await master.rest<{ id: string }>('POST', '/customers', { body: { name: 'Bo' } });
    const { body } = await master.rest<ListedRecord[]>('GET', '/audit');
    const { data, errors } = await master.gql<{ auditLog: { totalCount: number; nodes: unknown[] } }>(
      `{ auditLog { totalCount nodes { id at type subject action actor { kind token user customer name } before after
        request_id: requestId address } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.auditLog.totalCount).toBe(1);
    expect(data.auditLog.nodes).toEqual(
      body.map((record) => ({
        ...record,
        ...{ type: 'CUSTOMER', action: 'CREATED', actor: { ...record.actor, kind: 'MASTER' } },
      })),
    );
    expect(body[0]).toMatchObject({
      subject: made.id,
      before: null,
      after: { name: 'Bo', email: null, roles: [] },
    });
  });

  test('the audit record of a command names its user, and no request', async () => {
    const { db, site } = await buildScene(app);
    const user = await buildUser(db, { memberOf: [] });
    const { email } = await db.user.findUniqueOrThrow({ where: { id: user.id } });
    const place = { database: app.database, limits: readConfig({}).limits, now: new Date() };
    await makeCall('changeMembership', { site: site.id, user: email, isMember: true }, place);
    const { records } = await list({ site: site.id });
    expect(records).toEqual([
      expect.objectContaining({
        ...{ site: site.id, type: 'member', subject: user.id, action: 'created', requestId: null, address: null },
        actor: { kind: 'operator', token: null, user: null, customer: null, name: expect.stringMatching(/./) },
        before: null,
        after: expect.objectContaining({ email }),
      }),
    ]);
    const actor = String(records[0]?.actor.name);
    expect(namesOf((await list({ site: site.id, actor })).records)).toEqual([`member ${user.id} created`]);
  });
});

describe('a list', () => {
  test('the audit log takes filters, alone and together', async () => {
    const { db, site, master, visitor } = await buildScene(app);
    const ada = await buildCustomer(db, site.id, { id: 'ada' });
    await master.rest('POST', '/channels', { body: { id: 'films' } });
    await master.rest('PATCH', '/channels/films', { body: { name: 'Other' } });
    await master.rest('PATCH', '/customers/ada', { body: { roles: ['editor'] } });
    await as(app, { token: site.public, session: ada.session }).rest('DELETE', '/session');
    const all = await master.rest<ListedRecord[]>('GET', '/audit');
    const expected = [
      `session ${ada.sessionId} revoked`,
      'customer ada updated',
      'channel films updated',
      'channel films created',
    ];
    expect(namesOf(all.body)).toEqual(expected);
    const [ended] = all.body;
    const { id: token } = await db.token.findFirstOrThrow({ where: { siteId: site.id, kind: 'master' } });
    const asked = async (query: string): Promise<string[]> =>
      namesOf((await master.rest<ListedRecord[]>('GET', `/audit?${query}`)).body);
    expect(await asked('type=channel')).toEqual(expected.slice(2));
    expect(await asked('type=CHANNEL&subject=films')).toEqual(expected.slice(2));
    expect(await asked('subject=ada')).toEqual(expected.slice(1, 2));
    expect(await asked(`actor=${token}`)).toEqual(expected.slice(1));
    expect(await asked('actor=ada')).toEqual(expected.slice(0, 1));
    expect(await asked(`actor=${token}&type=customer`)).toEqual(expected.slice(1, 2));
    expect(await asked(`until=${ended?.at}`)).not.toContain(expected[0]);
    expect(await asked(`since=${ended?.at}`)).toContain(expected[0]);
    expect(await asked('since=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await asked('actor=nobody')).toEqual([]);
    const { data } = await master.gql<{ auditLog: { nodes: { subject: string }[] } }>(
      '{ auditLog(type: CHANNEL, subject: "films", since: "2020-01-01T00:00:00Z", first: 1) { nodes { subject } } }',
    );
    expect(data.auditLog.nodes).toEqual([{ subject: 'films' }]);
    for (const wrong of ['type=film', 'since=yesterday', 'per_page=0', 'cursor=x', 'before=1']) {
      expectProblem(await master.rest('GET', `/audit?${wrong}`), 'bad_request');
    }
    expectProblem(await visitor.rest('GET', '/audit'), 'forbidden');
  });

  test('pages of the audit log neither repeat nor skip, and each cursor belongs to its filter', async () => {
    const { db, site, master } = await buildScene(app);
    for (let n = 0; n < 5; n += 1) await buildAuditRecord(db, site.id);
    const whole = await master.rest<ListedRecord[]>('GET', '/audit');
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof master.rest<ListedRecord[]>>> = await master.rest<ListedRecord[]>(
        'GET',
        `/audit?per_page=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.status).toBe(200);
      seen.push(...page.body.map(({ id }) => id));
      cursor = page.headers.get('x-next-cursor');
      if (cursor !== null) expectProblem(await master.rest('GET', `/audit?type=site&cursor=${cursor}`), 'bad_request');
    }
    expect(seen).toEqual(whole.body.map(({ id }) => id));
    expect(seen).toHaveLength(5);
    const first = await list({ site: site.id, first: 3 });
    const rest = await list({ site: site.id, first: 3, after: first.next });
    expect([...first.records, ...rest.records].map(({ id }) => id)).toEqual(seen);
    expect(rest.next).toBeNull();
  });

  test('the audit log has the records of its own site alone; the operator’s has those of all', async () => {
    const [here, there] = [await buildScene(app), await buildScene(app)];
    const [own, other] = [
      await buildAuditRecord(here.db, here.site.id),
      await buildAuditRecord(here.db, there.site.id),
    ];
    const ofNone = await buildAuditRecord(here.db, '');
    const { body } = await here.master.rest<ListedRecord[]>('GET', '/audit');
    expect(body.map(({ id }) => id)).toEqual([own]);
    const { records } = await list({ since: new Date(Date.now() - 60_000).toISOString() });
    const sites = new Map(records.map(({ id, site }) => [id, site]));
    expect([own, other, ofNone].map((id) => sites.get(id))).toEqual([here.site.id, there.site.id, null]);
  });
});

test('records are kept for their time, those of no site too, and are deleted in batches', async () => {
  const { db, site } = await buildScene(app);
  const other = await buildSite(db);
  const build = async (siteId: string, at: string): Promise<string> => {
    const id = await buildAuditRecord(db, siteId);
    await db.auditRecord.update({ where: { siteId_id: { siteId, id } }, data: { at: new Date(at) } });
    return id;
  };
  const old = [await build(site.id, '2020-01-01T00:00:00Z'), await build(site.id, '2020-01-02T00:00:00Z')];
  const older = [await build('', '2019-01-01T00:00:00Z')];
  const kept = [
    await build(site.id, '2020-02-01T00:00:00Z'),
    await build('', '2020-02-01T00:00:00Z'),
    await build(other.id, '2019-01-01T00:00:00Z'),
  ];
  const sweep = (limit: number): Promise<number> =>
    deleteOldAuditRecords(db, [site.id], new Date('2020-01-15T00:00:00Z'), limit);
  expect([await sweep(2), await sweep(2), await sweep(2)]).toEqual([2, 1, 0]);
  const ids = [...old, ...older, ...kept];
  const left = await db.auditRecord.findMany({ where: { siteId: { in: [site.id, other.id, ''] }, id: { in: ids } } });
  expect(left.map(({ id }) => id).sort()).toEqual(kept.sort());
});

test('the retention of audit records is a number of days, and 0 means forever', () => {
  const retentionOf = (days: string): number | null => readConfig({ AUDIT_RETENTION: days }).auditRetention;
  expect([retentionOf(''), retentionOf('1'), retentionOf('0')]).toEqual([365 * 86_400_000, 86_400_000, null]);
  expect(() => retentionOf('-1')).toThrow('AUDIT_RETENTION');
});

test('the demo site begins with its record', async () => {
  const database = await testDatabase();
  try {
    await createDemo(demoClient(database));
    const records = await database.prisma.auditRecord.findMany({ where: { siteId: 'demo' } });
    expect(records.map(({ actorKind }) => actorKind)).toEqual(['service']);
    expect(namesOf(records)).toEqual(['site demo created']);
  } finally {
    await database.close();
  }
});

// Runs the worked examples of docs/access.md as they stand there.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Scope } from '../../../src/rules/access.ts';
import { as, type Credentials, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildSite, buildUser } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

interface Step {
  readonly line: string;
  readonly who: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
  readonly expected: string | undefined;
}

const text = readFileSync(new URL('../../../docs/access.md', import.meta.url), 'utf8');
const examples = [...text.matchAll(/```example\n(.*?)```/gs)].map(([, lines]) => (lines ?? '').trim().split('\n'));

const app = await suiteApp();

test('docs/access.md has examples', () => {
  expect(examples.length).toBeGreaterThan(10);
});

describe.each(examples.map((lines, index) => [`example ${index + 1}: ${lines[0] ?? ''}`, lines] as const))(
  '%s',
  (_name, lines) => {
    test('the example of docs/access.md has the documented outcome', async () => {
      const callers = await prepare(lines.filter((line) => line.startsWith('channel ')));
      for (const step of lines.filter((line) => !line.startsWith('channel ')).map(parseStep))
        await expectStep(step, callers);
    });
  },
);

/** A site with the example's channels and the page's cast. */
async function prepare(channels: string[]): Promise<Record<string, Credentials>> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  for (const line of channels) await buildChannel(db, site.id, parseChannel(line));
  const ada = await buildCustomer(db, site.id, { id: 'ada', roles: ['editor'] });
  const bob = await buildCustomer(db, site.id, { id: 'bob' });
  const user = { token: (await buildUser(db, { memberOf: [site.id] })).token, site: site.id };
  return {
    nobody: {},
    master: { token: site.master },
    public: { token: site.public },
    ada: { token: site.public, session: ada.session },
    bob: { token: site.public, session: bob.session },
    user,
    'user+ada': { ...user, session: ada.session },
    'master+ada': { token: site.master, session: ada.session },
  };
}

function parseChannel(line: string): Parameters<typeof buildChannel>[2] {
  const [, id = '', rules = ''] = /^channel (\S+):(.*)$/.exec(line) ?? [];
  const settings = rules.split(',').map((rule) => rule.trim().split(' '));
  const scopes = settings.flatMap(([action, scope]) => (scope ? [[`${action ?? ''}Scope`, scope as Scope]] : []));
  return { id, publishable: settings.some(([word]) => word === 'publishable'), ...Object.fromEntries(scopes) };
}

function parseStep(line: string): Step {
  const parts = /^(\S+)\s+([A-Z]+) (\S+)(?: (\{.*\}))? → (\d+)(?: (.+))?$/.exec(line);
  if (!parts) throw new Error(`This line is no step: ${line}`);
  const [, who = '', method = '', path = '', body, status, expected] = parts;
  return {
    line,
    who,
    method,
    path,
    body: body === undefined ? undefined : (JSON.parse(body) as unknown),
    status: Number(status),
    expected,
  };
}

async function expectStep(step: Step, callers: Record<string, Credentials>): Promise<void> {
  const usesAcl = step.who.endsWith('+use_acl');
  const credentials = callers[step.who.replace('+use_acl', '')];
  if (!credentials) throw new Error(`Nobody is called ${step.who}.`);
  const path = usesAcl ? `${step.path}?use_acl=true` : step.path;
  const answer = await as(app, credentials).rest(step.method, path, step.body === undefined ? {} : { body: step.body });
  expect([step.line, answer.status]).toEqual([step.line, step.status]);
  if (step.expected?.startsWith('[')) expectSlugs(step, answer as unknown as RestAnswer<{ slug: string }[]>);
  else if (step.expected !== undefined) expectMembers(step, answer);
}

function expectSlugs({ line, expected = '' }: Step, { body }: RestAnswer<{ slug: string }[]>): void {
  const slugs = expected
    .slice(1, -1)
    .split(',')
    .map((slug) => slug.trim())
    .filter(Boolean);
  expect([line, body.map(({ slug }) => slug).sort()]).toEqual([line, slugs.sort()]);
}

function expectMembers({ line, expected = '' }: Step, { body }: RestAnswer<Record<string, unknown>>): void {
  const absent = [...expected.matchAll(/"(\w+)": undefined/g)].map(([, name]) => name ?? '');
  const members = JSON.parse(expected.replace(/,? *"\w+": undefined/g, '').replace('{,', '{')) as object;
  expect([line, body]).toEqual([line, expect.objectContaining(members)]);
  expect([line, absent.filter((name) => name in body)]).toEqual([line, []]);
}

// The files of deploy/ for containers, systemd and Kubernetes agree with the service: its variables, probes, port and times.
// `npm run drill -- container` carries out the steps of the Dockerfile.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { readDockerfile, readPairs } from '../../../scripts/drills/dockerfile.mjs';
import { readConfig } from '../../../src/config/config.ts';
import { describeConfig } from '../../../src/config/variables.ts';
import { probePaths } from '../../../src/http/health.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The longest that the service takes to stop (src/cli/serve/signals.ts), in seconds. */
const longestStop = 10;
const port = readConfig({}).port;

/** The variables of an environment that the service does not know, or takes for invalid. */
function unknownIn(environment: Record<string, string>): string[] {
  const known = new Set(['NODE_OPTIONS', ...describeConfig().map(({ name }) => name)]);
  const { DATABASE_URL_FILE: _file, NODE_OPTIONS: _options, ...values } = environment;
  expect(() => readConfig(values)).not.toThrow();
  return Object.keys(environment).filter((name) => !known.has(name));
}

/** A value somewhere in a YAML document. @throws where it is not there */
function at(document: unknown, ...path: (string | number)[]): unknown {
  return path.reduce((value, key) => {
    if (typeof value !== 'object' || value === null || !(key in value))
      throw new Error(`There is no ${path.join('.')}`);
    return (value as Record<string | number, unknown>)[key];
  }, document);
}

function readYaml(path: string): unknown[] {
  const documents = parseAllDocuments(read(path), { uniqueKeys: true });
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  return documents.map((document) => document.toJS() as unknown);
}

describe('deploy/Dockerfile', () => {
  const stages = readDockerfile(join(root, 'deploy/Dockerfile'));
  const last = stages.at(-1) ?? { name: '', image: '', steps: [] };
  const stepsOf = (keyword: string): readonly string[][] =>
    last.steps.filter((step) => step.keyword === keyword).map(({ words }) => [...words]);

  test('the Dockerfile builds in a stage of its own, on a pinned Node that package.json admits', () => {
    expect(stages).toHaveLength(2);
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(engines.node).toContain('>=24');
    expect(stages.map(({ image }) => image)).toEqual(['node:24-bookworm-slim', 'node:24-bookworm-slim']);
  });

  test('the image has only the files that serve, from the build: no development dependency, no installation', () => {
    const copies = last.steps.filter(({ keyword }) => keyword === 'COPY');
    expect(copies.map(({ from }) => from)).toEqual(copies.map(() => stages[0]?.name));
    const copied = copies.map(({ words }) => words[0]?.replace('/build/', ''));
    // What the README says that a container needs.
    const named = /container needs ([^.]*(?:\.json`[^.]*)?) from such a tree/.exec(read('README.md'))?.[1] ?? '';
    expect(copied.sort()).toEqual([...named.matchAll(/`([^`]+?)\/?`/g)].map(([, name]) => name).sort());
    expect(stepsOf('RUN').flat().join(' ')).not.toMatch(/npm|apt|curl|wget/);
    const builds = stages[0]?.steps.filter(({ keyword }) => keyword === 'RUN').map(({ text }) => text) ?? [];
    expect(builds).toEqual([expect.stringMatching(/^npm ci --ignore-scripts/), 'npm run production']);
    expect(stages.flatMap(({ steps }) => steps).map(({ keyword }) => keyword)).not.toContain('ADD');
  });

  test('.dockerignore admits exactly the files that the Dockerfile copies', () => {
    const lines = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(allowed.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const copied = (stages[0]?.steps ?? [])
      .filter(({ keyword }) => keyword === 'COPY')
      .flatMap(({ words }) => words.slice(0, -1));
    const isIn = (path: string): boolean => allowed.some((each) => each === path || each.startsWith(`${path}/`));
    expect(copied.filter((path) => !isIn(path))).toEqual([]);
    expect(allowed.filter((path) => !copied.some((each) => path === each || path.startsWith(`${each}/`)))).toEqual([]);
    // The build knows of its files by name: see scripts/build.mjs.
    for (const name of /const files = \[(.*?)\];/s.exec(read('scripts/build.mjs'))?.[1]?.match(/[\w./-]+\.\w+/g) ?? [])
      expect([name, allowed.some((each) => name === each || name.startsWith(`${each}/`))]).toEqual([name, true]);
    const folders = /const directories = \[(.*?)\];/.exec(read('scripts/build.mjs'))?.[1]?.match(/\w+/g) ?? [];
    expect(folders).toContain('src');
    expect(folders.filter((name) => !copied.includes(name))).toEqual([]);
  });

  test('the image runs the service as a numeric non-root user, with known variables', () => {
    expect(stepsOf('USER')).toEqual([['1000:1000']]);
    expect(last.steps.findIndex(({ keyword }) => keyword === 'USER')).toBeGreaterThan(
      last.steps.findLastIndex(({ keyword }) => keyword === 'RUN' || keyword === 'COPY'),
    );
    expect([...stepsOf('ENTRYPOINT'), ...stepsOf('CMD')].flat()).toEqual(['node', 'dist/main.js', 'serve']);
    const environment = readPairs(stepsOf('ENV').flat().join(' '));
    expect(unknownIn(environment)).toEqual([]);
    expect(environment).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', PORT: String(port) });
    expect(stepsOf('EXPOSE')).toEqual([[String(port)]]);
    expect(stepsOf('VOLUME')).toEqual([[environment['DATA_DIR']]]);
  });

  test('the image’s health check uses an existing probe, without a shell', () => {
    const [[program, , script = ''] = []] = stepsOf('HEALTHCHECK');
    expect(program).toBe('node');
    const [, path = ''] = /PORT \+ '([^']+)'/.exec(script) ?? [];
    expect(probePaths).toContain(path);
  });
});

describe('deploy/compose.yaml', () => {
  const [compose] = readYaml('deploy/compose.yaml');
  const service = (name: string, ...path: string[]): unknown => at(compose, 'services', name, ...path);

  test('the compose file has PostgreSQL, the service and a proxy, and publishes only the proxy', () => {
    expect(Object.keys(at(compose, 'services') as object)).toEqual(['postgres', 'entryway', 'proxy']);
    expect(() => service('entryway', 'ports')).toThrow();
    expect(() => service('postgres', 'ports')).toThrow();
    expect(service('proxy', 'ports')).toContain('443:443');
    expect(at(compose, 'networks', 'database')).toEqual({ internal: true });
    expect(service('postgres', 'networks')).toEqual(['database']);
    // 15 to 18 are tested.
    expect(service('postgres', 'image')).toMatch(/^postgres:1[5-8]-/);
  });

  test('the compose file gives the service known variables, and secrets as files', () => {
    const environment = service('entryway', 'environment') as Record<string, string>;
    expect(unknownIn({ ...environment, PUBLIC_URL: 'https://content.example.com' })).toEqual([]);
    expect(environment['DATABASE_URL_FILE']).toBe('/run/secrets/database_url');
    expect(service('entryway', 'secrets')).toEqual(['database_url']);
    expect(service('postgres', 'environment', 'POSTGRES_PASSWORD_FILE')).toBe('/run/secrets/postgres_password');
    expect(Object.keys(at(compose, 'secrets') as object).sort()).toEqual(['database_url', 'postgres_password']);
    expect(environment['TRUST_PROXY']).toBe('1');
  });

  test('the compose file runs the service read-only, without capabilities, and waits for it to stop', () => {
    expect(service('entryway')).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(Number.parseInt(String(service('entryway', 'stop_grace_period')), 10)).toBeGreaterThan(longestStop);
  });

  test('the compose file’s proxy leads to the service’s port, and uses an existing probe', () => {
    const caddyfile = read('deploy/Caddyfile');
    expect(service('proxy', 'volumes')).toContain('./Caddyfile:/etc/caddy/Caddyfile:ro');
    expect(caddyfile).toContain(`reverse_proxy entryway:${port} {`);
    expect(probePaths).toContain(/health_uri (\S+)/.exec(caddyfile)?.[1]);
    expect(/@probes path (.*)/.exec(caddyfile)?.[1]?.split(' ')).toEqual(probePaths);
  });
});

describe('deploy/entryway.service', () => {
  const lines = read('deploy/entryway.service')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  const values = (name: string): string[] => lines.filter(([each]) => each === name).map(([, value]) => value);

  test('the systemd unit starts the service with known variables, as a user of its own', () => {
    expect(values('ExecStart')).toEqual(['/usr/bin/node /opt/entryway/dist/main.js serve']);
    const environment = readPairs(values('Environment').join(' '));
    expect(unknownIn(environment)).toEqual([]);
    expect(environment).toMatchObject({ NODE_ENV: 'production', DATA_DIR: '/var/lib/entryway' });
    expect([...values('User'), ...values('StateDirectory')]).toEqual(['entryway', 'entryway']);
    expect(values('LoadCredential')).toEqual(['database_url:/etc/entryway/database_url']);
    expect(environment['DATABASE_URL_FILE']).toBe('%d/database_url');
  });

  test('the systemd unit is hardened, and lets the service stop by itself', () => {
    expect(values('ProtectSystem')).toEqual(['strict']);
    for (const name of ['NoNewPrivileges', 'PrivateTmp', 'ProtectHome', 'RestrictNamespaces', 'LockPersonality'])
      expect([name, ...values(name)]).toEqual([name, 'yes']);
    expect(values('CapabilityBoundingSet')).toEqual(['']);
    // Node compiles as it runs.
    expect(values('MemoryDenyWriteExecute')).toEqual([]);
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThan(longestStop);
    // A wrong configuration ends a command with 2: starting it again would change nothing.
    expect([...values('Restart'), ...values('RestartPreventExitStatus')]).toEqual(['always', '2']);
  });
});

describe('deploy/kubernetes.yaml', () => {
  const documents = readYaml('deploy/kubernetes.yaml');
  const kind = (name: string): unknown => documents.find((document) => at(document, 'kind') === name);
  const pod = at(kind('Deployment'), 'spec', 'template', 'spec');
  const container = at(pod, 'containers', 0);

  test('the Kubernetes manifest keeps two replicas, of which a rollout or a drain takes one at a time', () => {
    expect(at(kind('Deployment'), 'spec', 'replicas')).toBe(2);
    expect(at(kind('Deployment'), 'spec', 'strategy', 'rollingUpdate')).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(at(kind('PodDisruptionBudget'), 'spec', 'minAvailable')).toBe(1);
    const labels = at(kind('Deployment'), 'spec', 'template', 'metadata', 'labels');
    expect(at(kind('Deployment'), 'spec', 'selector', 'matchLabels')).toEqual(labels);
    expect(at(kind('PodDisruptionBudget'), 'spec', 'selector', 'matchLabels')).toEqual(labels);
    expect(at(kind('Service'), 'spec', 'selector')).toEqual(labels);
  });

  test('the Kubernetes manifest gives the service known variables, and the database URL as a file', () => {
    const list = at(container, 'env') as { name: string; value: string }[];
    const environment = Object.fromEntries(list.map(({ name, value }) => [name, value]));
    expect(unknownIn(environment)).toEqual([]);
    const folder = at(container, 'volumeMounts', 0, 'mountPath');
    expect(environment['DATABASE_URL_FILE']).toBe(`${String(folder)}/url`);
    expect(at(pod, 'volumes', 0, 'secret')).toEqual({ secretName: 'entryway-database', defaultMode: 0o440 });
    expect(read('deploy/kubernetes.yaml')).toContain('secret generic entryway-database --from-file=url=');
  });

  test('the Kubernetes manifest uses existing probes, on the service’s ports', () => {
    const ports = at(container, 'ports') as { name: string; containerPort: number }[];
    expect(ports[0]).toEqual({ name: 'http', containerPort: port });
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => at(container, name, 'httpGet'));
    expect(probes).toEqual(['/livez', '/livez', '/readyz'].map((path) => ({ path, port: 'http' })));
    expect(probePaths).toEqual(['/livez', '/readyz']);
  });

  test('the Kubernetes grace period is longer than the drain delay and the drain together', () => {
    const wait = at(container, 'lifecycle', 'preStop', 'sleep', 'seconds') as number;
    expect(at(pod, 'terminationGracePeriodSeconds')).toBeGreaterThanOrEqual(wait + longestStop);
  });

  test('the Kubernetes manifest runs the service without capabilities, on a read-only root', () => {
    expect(at(pod, 'securityContext')).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(at(container, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(at(pod, 'automountServiceAccountToken')).toBe(false);
  });
});

test('an unknown variable in a deployment file is reported', () => {
  expect(unknownIn({ PORT: '1', PROT: '1' })).toEqual(['PROT']);
});

// The rooms of src/, what its clients may import of it, and the rule of lint that keeps imports one way.
import { dirname, join, relative } from 'node:path';

/**
 * The rooms, from the ground floor up: folders and single files of src/, of which the longest that holds a file is its room. A room
 * imports from itself and from the rooms of lower floors, types included; rooms of one floor do not know each other.
 */
export const floors = [
  ['base'],
  ['config'],
  ['telemetry'],
  ['database', 'rules'],
  ['database/postgresql', 'fields'],
  ['database/embedded', 'database/replicas', 'database/citus', 'search'],
  ['database/open'],
  ['database/migrations'],
  ['auth'],
  ['admission'],
  ['entries'],
  ['inputs'],
  ['serializers'],
  ['resolvers', 'http'],
  ['http/openContext.ts'],
  ['http/ladder.ts'],
  ['rest', 'graphql', 'browser'],
  ['features/feature.ts'],
  ['management', 'features/kernel.ts'],
  ['features/audit', 'features/changes', 'features/explain', 'features/rebuilds', 'features/signIn'],
  ['features/webhooks'],
  ['features/moving', 'features/typed'],
  ['features.ts'],
  ['app.ts', 'service'],
  ['service.ts'],
  ['cli'],
  ['main.ts'],
];

/**
 * The clients of the HTTP interface. Each imports from itself, from the clients that it names, and of src/ from the files that it names
 * alone: these know neither a database nor a request, and say what is written nowhere else. None may be added.
 */
export const clients = {
  'clients/typescript': { uses: [], sources: [] },
  'clients/cli': {
    uses: ['clients/typescript'],
    sources: [
      'base/errors.ts',
      'base/nearestName.ts',
      'config/secretFile.ts',
      'entries/members.ts',
      'fields/compiled.ts',
      'fields/definition.ts',
      'fields/patterns.ts',
      'fields/text.ts',
      'fields/types.ts',
      'fields/values.ts',
      'inputs/json.ts',
      'inputs/payload.ts',
      'management/channels/fieldInput.ts',
      'rules/access.ts',
      'rules/ascii.ts',
      'rules/names.ts',
    ],
  },
  console: { uses: ['clients/typescript'], sources: ['base/enums.ts', 'rules/access.ts', 'rules/actors.ts'] },
};

/** The rooms of src/ that run a client, and which. */
const runners = ['cli', 'main.ts'];
const run = 'clients/cli';

const rooms = floors.flat().sort((a, b) => b.length - a.length);

/** The room of a file, named as in `floors`, by its path in src/; undefined: it has none. */
export function roomOf(path) {
  return rooms.find((room) => path === room || path.startsWith(`${room}/`));
}

/** Whether a file may import another one, by their paths in src/. */
export function mayImport(from, to) {
  const [own, other] = [roomOf(from), roomOf(to)];
  if (own === undefined || other === undefined) return false;
  return own === other || floorOf(own) > floorOf(other);
}

function floorOf(room) {
  return floors.findIndex((floor) => floor.includes(room));
}

/** The client that a file belongs to, by its path in the project; undefined: none. */
export function clientOf(path) {
  return Object.keys(clients).find((client) => path.startsWith(`${client}/`));
}

/** Whether a file may import another one, by their paths in the project, where one of them is a client's. */
export function mayCross(from, to) {
  const [own, other] = [clientOf(from), clientOf(to)];
  if (own === undefined) return other === run && runners.includes(roomOf(from.replace(/^src\//, '')));
  if (other !== undefined) return own === other || clients[own].uses.includes(other);
  return to.startsWith('src/') && clients[own].sources.includes(to.slice('src/'.length));
}

/**
 * Reports imports that go up or to another room of the same floor, those of clients that are not declared, and files without a floor.
 * Generated code and types have none.
 */
export const oneWay = {
  meta: { type: 'problem', schema: [{ type: 'string' }] },
  create(context) {
    const [root] = context.options;
    const from = relative(root, context.filename);
    const check = (node, specifier) => {
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const to = relative(root, join(dirname(context.filename), specifier));
      if (!isAllowed(from, to))
        context.report({ node, message: `${from} may not import ${to} (scripts/lint/floors.mjs).` });
    };
    return {
      Program: (node) => {
        if (from.startsWith('src/') && roomOf(from.slice('src/'.length)) === undefined)
          context.report({ node, message: 'This file has no floor (scripts/lint/floors.mjs).' });
      },
      ImportDeclaration: (node) => check(node, node.source.value),
      ImportExpression: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      TSModuleDeclaration: (node) => check(node, node.id.value),
      TSImportType: (node) => check(node, node.source?.value ?? node.argument?.literal?.value),
    };
  },
};

function isAllowed(from, to) {
  if (clientOf(from) !== undefined || clientOf(to) !== undefined) return mayCross(from, to);
  if (!to.startsWith('src/') || /^src\/(generated|types)\//.test(to)) return true;
  return mayImport(from.slice('src/'.length), to.slice('src/'.length));
}

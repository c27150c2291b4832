// The rooms of src/ and the rule of lint that keeps their imports one way.
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
  ['features/audit', 'features/changes', 'features/explain', 'features/rebuilds'],
  ['features/webhooks'],
  ['features/moving', 'features/typed'],
  ['features.ts'],
  ['app.ts', 'service'],
  ['service.ts'],
  ['cli'],
  ['main.ts'],
];

/** Imports that still go up. None may be added. */
export const stillUpward = [
  'database/database.ts -> database/replicas/replicas.ts',
  'resolvers/context.ts -> features/changes/heldOpen.ts',
  'resolvers/context.ts -> features/webhooks/queue.ts',
  'http/ladder.ts -> features/changes/heldOpen.ts',
  'http/openContext.ts -> features/changes/heldOpen.ts',
];

const rooms = floors.flat().sort((a, b) => b.length - a.length);

/** The room of a file, named as in `floors`, by its path in src/; undefined: it has none. */
export function roomOf(path) {
  return rooms.find((room) => path === room || path.startsWith(`${room}/`));
}

/** Whether a file may import another one, by their paths in src/. */
export function mayImport(from, to) {
  const [own, other] = [roomOf(from), roomOf(to)];
  if (own === undefined || other === undefined) return false;
  return own === other || floorOf(own) > floorOf(other) || stillUpward.includes(`${from} -> ${to}`);
}

function floorOf(room) {
  return floors.findIndex((floor) => floor.includes(room));
}

/** Reports imports that go up or to another room of the same floor, and files without a floor. Generated code and types have none. */
export const oneWay = {
  meta: { type: 'problem', schema: [{ type: 'string' }] },
  create(context) {
    const [source] = context.options;
    const from = relative(source, context.filename);
    const check = (node, specifier) => {
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const to = relative(source, join(dirname(context.filename), specifier));
      if (to.startsWith('..') || /^(generated|types)\//.test(to) || mayImport(from, to)) return;
      context.report({ node, message: `${roomOf(from)} may not import ${to} (scripts/lint/floors.mjs).` });
    };
    return {
      Program: (node) => {
        if (roomOf(from) === undefined)
          context.report({ node, message: 'This file has no floor (scripts/lint/floors.mjs).' });
      },
      ImportDeclaration: (node) => check(node, node.source.value),
      ImportExpression: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      TSImportType: (node) => check(node, node.source?.value ?? node.argument?.literal?.value),
    };
  },
};

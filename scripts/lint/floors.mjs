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
  ['rest', 'graphql', 'browser'],
  ['management'],
  ['features/audit', 'features/changes', 'features/explain', 'features/moving', 'features/rebuilds', 'features/typed'],
  ['features/webhooks'],
  ['features'],
  ['app.ts', 'background.ts'],
  ['service.ts'],
  ['cli'],
  ['main.ts'],
];

/** Imports that still go up. None may be added. */
export const stillUpward = [
  'auth/identify.ts -> admission/rateLimits.ts',
  'config/config.ts -> admission/streams.ts',
  'database/database.ts -> database/replicas/replicas.ts',
  'features/audit/routes.ts -> features/operations.ts',
  'features/moving/import/input.ts -> features/changes/input.ts',
  'features/moving/import/input.ts -> features/webhooks/input.ts',
  'features/typed/graphql/outputs.ts -> features/resolvers.ts',
  'features/typed/graphql/roots.ts -> features/resolvers.ts',
  'features/typed/graphql/router.ts -> features/operations.ts',
  'features/typed/openapi/bodySchemas.ts -> features/webhooks/input.ts',
  'features/typed/openapi/parameters.ts -> features/audit/input.ts',
  'features/typed/openapi/parameters.ts -> features/changes/input.ts',
  'features/typed/openapi/parameters.ts -> features/explain/aclPreview.ts',
  'features/typed/openapi/route.ts -> features/operations.ts',
  'features/typed/openapi/schemas.ts -> features/changes/serializer.ts',
  'features/webhooks/delivery/audience.ts -> features/operations.ts',
  'features/webhooks/routes.ts -> features/operations.ts',
  'graphql/complexity.ts -> features/changes/input.ts',
  'graphql/idempotency.ts -> features/changes/readerships.ts',
  'graphql/schema.ts -> features/resolvers.ts',
  'graphql/subscription.ts -> features/changes/follow.ts',
  'graphql/subscription.ts -> features/changes/input.ts',
  'graphql/subscription.ts -> features/changes/readerships.ts',
  'graphql/subscription.ts -> features/changes/seats.ts',
  'management/auditedMembers.ts -> features/webhooks/serializer.ts',
  'management/routes.ts -> features/audit/routes.ts',
  'management/routes.ts -> features/explain/serializer.ts',
  'management/routes.ts -> features/operations.ts',
  'management/routes.ts -> features/webhooks/routes.ts',
  'resolvers/context.ts -> features/changes/heldOpen.ts',
  'resolvers/context.ts -> features/webhooks/queue.ts',
  'resolvers/createContext.ts -> features/changes/heldOpen.ts',
  'rest/description.ts -> features/typed/openapi/bodySchemas.ts',
  'rest/description.ts -> features/typed/openapi/schemas.ts',
  'rest/route.ts -> features/explain/aclPreview.ts',
  'rest/router.ts -> features/routes.ts',
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

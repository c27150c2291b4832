// Reads what faults are planted into: the functions of TypeScript by their names, and those of SQL.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

const folders = ['src', 'console', 'clients'];
/** Scripts that tests call. */
const scripts = ['scripts/functions.mjs'];
const leftOut = /(^|\/)(generated|node_modules|dist)\//;

/** The files of a project, each read and parsed once. */
export class Sources {
  #root;
  #byName = new Map();

  /** @param root the directory of the project */
  constructor(root) {
    this.#root = root;
    const files = folders.flatMap((folder) => listFiles(root, folder));
    for (const file of [...files, ...scripts.filter((name) => existsSync(join(root, name)))])
      this.#index(parseFile(root, file));
  }

  /**
   * What has a name, in all files: functions, constants, types and classes of a file's own level, and `Class.method`.
   * @param name may begin with the name of the file: `rights.ts:check`
   * @returns each as { file: its path, source: its tree, node }
   */
  named(name) {
    const [, file, own] = /^(?:([^:]+\.tsx?):)?(.*)$/.exec(name);
    return (this.#byName.get(own) ?? []).filter((each) => file === undefined || basename(each.file) === file);
  }

  /**
   * The function of the database that has a name, as its last migration defines it.
   * @returns { file, text: of the file, from, to: where it stands there }, or null where there is none
   */
  databaseFunction(name) {
    const shape = new RegExp(`^CREATE (OR REPLACE )?FUNCTION "${name}"\\([^]*?\\$\\$[^]*?\\$\\$[^;]*;`, 'm');
    for (const file of listMigrations(this.#root).reverse()) {
      const text = readFileSync(join(this.#root, file), 'utf8');
      const found = shape.exec(text);
      if (found !== null) return { file, text, from: found.index, to: found.index + found[0].length };
    }
    return null;
  }

  #index({ file, source }) {
    for (const { name, node } of source.statements.flatMap(namesOf)) {
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), { file, source, node }]);
    }
  }
}

/** The tree of a file. */
export function parse(file, text) {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, kind);
}

function parseFile(root, file) {
  return { file, source: parse(file, readFileSync(join(root, file), 'utf8')) };
}

function listFiles(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => /\.tsx?$/.test(name) && !leftOut.test(name))
    .sort();
}

/** From the first to the last. */
function listMigrations(root) {
  const folder = 'prisma/migrations';
  const names = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.map(({ name }) => `${folder}/${name}/migration.sql`).sort();
}

/** The names that a statement of a file's own level declares or imports. */
export function declaredBy(statement) {
  if (!ts.isImportDeclaration(statement)) return namesOf(statement).map(({ name }) => name);
  const { name, namedBindings } = statement.importClause ?? {};
  return [name, namedBindings?.name, ...(namedBindings?.elements ?? []).map((element) => element.name)].flatMap(
    (each) => each?.text ?? [],
  );
}

/** What a statement of a file's own level declares: each as { name, node }. */
export function namesOf(statement) {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations
      .flatMap(({ name }) => identifiersOf(name))
      .map((name) => ({ name, node: statement }));
  }
  if (ts.isExportAssignment(statement)) return [{ name: 'default', node: statement }];
  const name = statement.name?.text;
  if (name === undefined) return [];
  const own = { name, node: statement };
  return ts.isClassDeclaration(statement) ? [own, ...statement.members.flatMap((node) => memberOf(name, node))] : [own];
}

function identifiersOf(name) {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : identifiersOf(element.name)));
}

function memberOf(className, node) {
  if (ts.isConstructorDeclaration(node)) return [{ name: `${className}.constructor`, node }];
  return node.name === undefined ? [] : [{ name: `${className}.${node.name.getText()}`, node }];
}

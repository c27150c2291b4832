// Citations lead somewhere: sections of docs/contract.md, RFCs, the specification of GraphQL, links between documents, files and commands of the project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');
const contract = 'docs/contract.md';

/** A file, by its path from the project's root. */
interface Source {
  readonly path: string;
  readonly text: string;
}

function readSource(path: string): Source {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

const folders = ['src', 'test', 'scripts', 'schema', 'prisma', 'docs', 'bench', 'clients', 'console'];
/** Applied migrations cannot be edited, and this file holds citations that are meant to fail. */
const isSkipped = (path: string): boolean =>
  path.startsWith('src/generated/') ||
  path.startsWith('clients/typescript/dist/') ||
  path.startsWith('prisma/migrations/') ||
  path === relative(root, import.meta.filename);
const inFolders = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
);
const atTheTop = readdirSync(root).filter((path) => /\.(md|js|mjs|ts)$/.test(path));
const paths = [...inFolders, ...atTheTop].filter((path) => /\.(md|js|mjs|tsx?|graphql|prisma|sql)$/.test(path));
const sources = paths.filter((path) => !isSkipped(path)).map(readSource);
const documents = sources.filter(({ path }) => path.endsWith('.md'));

/** The sections that a document has, by its headings `## 5. …` and `### 5.7 …`. */
function sectionsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/^#{2,3} (\d+\.\d+|\d+(?=\.)) ?/gm)].map(([, number = '']) => number));
}

const sections = sectionsIn(readSource(contract).text);

/**
 * `docs/contract.md §3 to §5, §7`: the document that is cited, the first section, and those that follow it. `GraphQL §5` is one of the
 * specification of GraphQL.
 */
const citation = /(?:(contract\.md\)?|RFC \d+|GraphQL) )?§(\d+(?:\.\d+)*)((?:(?:, | and | to )§\d+(?:\.\d+)*)*)/g;

/** The citations of a file that lead nowhere. */
function brokenCitations({ path, text }: Source): string[] {
  const inOneLine = text.replace(/\n[ \t]*(?:\/\/\/?|\*|#|--)?[ \t]*/g, ' ');
  return [...inOneLine.matchAll(citation)].flatMap(([all, document = '', first = '', others = '']) => {
    if (document.startsWith('RFC') || document === 'GraphQL') return [];
    if (document === '' && path !== contract) return [`${all} names no document`];
    return citedSections(first, others)
      .filter((section) => !sections.has(section))
      .map((section) => `${all}: there is no §${section}`);
  });
}

function citedSections(first: string, others: string): string[] {
  const cited = [first];
  for (const [, word, section = ''] of others.matchAll(/(,|and|to) §([\d.]+)/g)) {
    if (word === 'to') cited.push(...between(cited.at(-1) ?? '', section));
    cited.push(section);
  }
  return cited;
}

/** The sections between two of one level: 5.3 and 5.6 stand for 5.4 and 5.5 too. */
function between(from: string, to: string): string[] {
  const [parent, start, end] = [from.replace(/\d+$/, ''), Number(/\d+$/.exec(from)), Number(/\d+$/.exec(to))];
  return Array.from({ length: Math.max(0, end - start - 1) }, (_, index) => `${parent}${start + 1 + index}`);
}

/** The relative links of a document whose file, or whose heading there, does not exist. */
function brokenLinks({ path, text }: Source): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#', 2);
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsIn(file === '' ? text : readSource(target).text).has(anchor);
  });
}

/** The anchors that GitHub gives to headings. */
function anchorsIn(text: string): Set<string> {
  const headings = [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replace(/ /g, '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '');
}

/** The files that a document names in back-quotes, or a comment anywhere, and that do not exist. */
function missingFiles({ path, text }: Source): string[] {
  const places = text.matchAll(path.endsWith('.md') ? /`[^`\n]+`/g : /(?:\/\/|^ *\*|\/\*\*).*/gm);
  const named = [...places].flatMap(([place]) => filesIn(place, path.endsWith('.md')));
  return named.filter((file) => !spelledOut(file).every((each) => existsSync(join(root, each))));
}

/** The paths in a text; prose names folders too, and so they count in back-quotes alone. */
function filesIn(text: string, withFolders: boolean): string[] {
  const all = text.match(/(?<![\w./@-])(?:src|test|docs|schema|prisma|scripts|bench)\/[\w./*{},-]*/g) ?? [];
  return withFolders ? all : all.flatMap((file) => /^[^{},]+\.[a-z]+/.exec(file) ?? []);
}

/** `src/{a,b}.ts` is two files; of `schema/*.graphql` the folder has to exist. */
function spelledOut(path: string): string[] {
  const [, before = '', list, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  if (list !== undefined) return list.split(',').flatMap((each) => spelledOut(before + each + after));
  return [path.includes('*') ? dirname(path.slice(0, path.indexOf('*') + 1)) : path];
}

/** The commands `npm run …` that a document names and package.json lacks. */
function missingCommands({ text }: Source): string[] {
  const { scripts } = JSON.parse(readSource('package.json').text) as { scripts: object };
  const named = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name);
  return named.filter((name) => !(name in scripts));
}

/** What a check finds in all files, each finding with the path of its file. */
function findings(files: readonly Source[], check: (source: Source) => string[]): string[] {
  return files.flatMap((source) => check(source).map((finding) => `${source.path}: ${finding}`));
}

test('every citation names a document and a section that exists', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(findings(sources, brokenCitations)).toEqual([]);
});

test('every link between documents leads to a file, and to a heading where it names one', () => {
  expect(findings(documents, brokenLinks)).toEqual([]);
});

test('every file that is named exists', () => {
  expect(findings(sources, missingFiles)).toEqual([]);
});

test('every command that a document names exists', () => {
  expect(findings(documents, missingCommands)).toEqual([]);
});

describe('dead citations are found', () => {
  const found: [text: string, check: (source: Source) => string[], number: number][] = [
    ['(docs/contract.md §3, §4; RFC 9110 §13.1)', brokenCitations, 0],
    ['docs/contract.md §3 to §5', brokenCitations, 0],
    ['docs/contract.md §5.3 to §5.7', brokenCitations, 0],
    ['docs/contract.md §99', brokenCitations, 1],
    ['docs/contract.md §5.99', brokenCitations, 1],
    ['docs/contract.md §3, §99', brokenCitations, 1],
    ['docs/contract.md §7, §98', brokenCitations, 1],
    ['// broken by the end of a line: docs/contract.md\n// §99', brokenCitations, 1],
    ['a section of no document: §3', brokenCitations, 1],
    ['[access](docs/access.md#tokens), [here](#here)\n# Here', brokenLinks, 0],
    ['[gone](docs/gone.md)', brokenLinks, 1],
    ['[gone](docs/access.md#gone)', brokenLinks, 1],
    ['[gone](#gone)', brokenLinks, 1],
    ['`docs/contract.md`, `test/{pure,support}/`, `schema/*.graphql`', missingFiles, 0],
    ['`src/gone.ts`', missingFiles, 1],
    ['`npm test -- test/gone.test.ts`', missingFiles, 1],
    ['`docs/{access,gone}.md`', missingFiles, 1],
    ['npm run check, npm run gone', missingCommands, 1],
  ];
  test.each(found)('the dead citation %j is reported', (text, check, number) => {
    expect(check({ path: 'README.md', text })).toHaveLength(number);
  });

  test('a dead citation in a comment is reported', () => {
    expect(missingFiles({ path: 'src/app.ts', text: '// See src/gone.ts.' })).toEqual(['src/gone.ts']);
  });

  test('a citation of a section that is not built yet is reported', () => {
    expect([...sections]).toEqual(expect.arrayContaining(['1', '8', '5.16']));
    expect(sectionsIn('## 9 to 13. Reserved\n### 5.7 Delete\n## 5. REST')).toEqual(new Set(['5.7', '5']));
  });
});

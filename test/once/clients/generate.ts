// GraphQL Code Generator's client preset, as its command line runs it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import { preset } from '@graphql-codegen/client-preset';
import { buildSchema, parse } from 'graphql';

/**
 * Generates the code for a document.
 * @param directory where it goes: into its folder `gql`
 * @param config the preset's own settings
 */
export async function generateCode(
  directory: string,
  sdl: string,
  document: string,
  config: Record<string, unknown> = {},
): Promise<void> {
  const files = await preset.buildGeneratesSection({
    baseOutputDir: `${join(directory, 'gql')}/`,
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: [{ location: 'films.graphql', rawSDL: document, document: parse(document) }],
    config: { useTypeImports: true, ...config },
    presetConfig: { fragmentMasking: false },
    plugins: [],
    pluginMap: {},
    pluginContext: {},
    documentTransforms: [],
  });
  for (const file of files) {
    mkdirSync(dirname(file.filename), { recursive: true });
    writeFileSync(file.filename, await codegen({ ...file, cache: async (_namespace, _key, make) => make() }));
  }
}

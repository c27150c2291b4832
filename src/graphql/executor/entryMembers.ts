// Writes the fixed members of an entry, without the steps of fields whose values may have any type. Names, addresses
// and times have no character that JSON escapes.
import { isObjectType, type GraphQLSchema } from 'graphql';
import type { PublicEntry } from '../../serializers/entry.ts';
import { writesJson } from './plan.ts';

const jsonWriters: Readonly<Record<string, (entry: PublicEntry) => string>> = {
  id: ({ id }) => `"${id}"`,
  shortId: ({ shortId }) => `"${shortId}"`,
  slug: ({ slug }) => `"${slug}"`,
  url: ({ url }) => `"${url}"`,
  createdAt: ({ createdAt }) => `"${createdAt}"`,
  updatedAt: ({ updatedAt }) => `"${updatedAt}"`,
  publishAt: ({ publishAt }) => (publishAt === null ? 'null' : `"${publishAt}"`),
};

/** Adds them to the schema's type of entries. */
export function addMemberWriters(schema: GraphQLSchema): void {
  const type = schema.getType('Entry');
  if (!isObjectType(type)) throw new Error('The schema has no type of entries.');
  const fields = type.getFields();
  for (const [name, write] of Object.entries(jsonWriters)) {
    const field = fields[name];
    if (field === undefined) throw new Error(`An entry has no field ${name}.`);
    field.extensions = { ...field.extensions, [writesJson]: write };
  }
}

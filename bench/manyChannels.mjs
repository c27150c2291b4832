// Sites with many channels, for what a schema of a site takes.

/** A type of each kind of values; the selects have options, the references lead to other channels. */
const types = [
  ...['string', 'text', 'html', 'integer', 'float', 'boolean', 'date', 'datetime', 'email', 'url', 'json', 'select'],
  ...['multi_select', 'strings', 'geo', 'reference', 'references', 'file'],
];

/** The fields of a channel, of every type in turns. @param targets the ids of the channels that references lead to */
export function manyFields(channel, count, targets) {
  return Array.from({ length: count }, (_each, at) => {
    const type = types[at % types.length];
    return {
      ...{ name: `field_number_${at}`, type },
      ...(type.includes('select') && { options: ['one', 'two', 'three'] }),
      ...(type.startsWith('reference') && { channel: targets[(channel * 7 + at) % targets.length] }),
    };
  });
}

/** The ids of so many channels. */
export function manyIds(count) {
  return Array.from({ length: count }, (_each, at) => `channel-${at}`);
}

/** Creates them. @param ask sends a GraphQL document with its variables as a master */
export async function createMany(ask, count, fieldsEach) {
  const ids = manyIds(count);
  for (const id of ids) await ask('mutation ($id: ID!) { createChannel(input: { id: $id }) { id } }', { id });
  for (const [at, id] of ids.entries()) {
    const fields = manyFields(at, fieldsEach, ids).map((field) => ({ ...field, type: field.type.toUpperCase() }));
    const document =
      'mutation ($id: ID!, $fields: [FieldInput!]) { updateChannel(id: $id, input: { fields: $fields }) { id } }';
    await ask(document, { id, fields });
  }
}

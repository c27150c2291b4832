// Random sites: what is written, read, filtered, sorted and paged through the schema of the site equals what the static schema
// has, for a master and for a visitor (docs/contract.md §11.2). Names are found by what the schema's text says of them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildSite } from '../../support/build.ts';
import { databaseKind } from '../../support/db.ts';
import { expectEntry } from '../../support/expect.ts';
import { seedOf } from '../../support/seed.ts';
import { plain, typed, typedFile, type Made, type Row } from './ask.ts';
import { generatedSite, type GeneratedChannel, type GeneratedField } from './generated.ts';
import { expectSameLists } from './sameLists.ts';
import { expectSameReads } from './sameReads.ts';
import { channelInSchema, readSiteSchema, type ChannelInSchema, type SiteSchema } from './siteSchema.ts';

const runs = Number(process.env['RUNS'] ?? (databaseKind === 'postgresql' ? 12 : 3));

const app: { current?: TestApp } = {};
beforeAll(async () => {
  app.current = await startApp({
    ...{ RATE_LIMIT: 'off', LOG_LEVEL: 'error', GRAPHQL_MAX_ALIASES: '1000', GRAPHQL_MAX_ROOT_FIELDS: '1000' },
  });
});
afterAll(() => app.current?.close());

interface Place {
  readonly channels: readonly GeneratedChannel[];
  readonly master: Caller;
  readonly visitor: Caller;
  readonly schema: SiteSchema;
  /** The names of a channel in the schema of the master. */
  readonly named: (channel: GeneratedChannel) => ChannelInSchema;
}

async function check(channels: readonly GeneratedChannel[]): Promise<void> {
  const place = await buildPlace(channels);
  const made = new Map<GeneratedChannel, Made[]>();
  for (const channel of channels) made.set(channel, await createRows(place, channel));
  for (const channel of channels) await refer(place, channel, made);
  for (const channel of channels) {
    const { master, visitor, schema } = place;
    const { body: rows } = await master.rest<Made[]>('GET', `/channels/${channel.id}/entries`);
    expect(rows).toHaveLength(channel.rows.length);
    await expectSameReads(master, schema, channel, rows);
    await expectSameLists(master, schema, channel, rows);
    const shown = await readSiteSchema(visitor);
    // What does not exist to a visitor takes no name, and has none.
    if (channel.read === 'public') await expectSameReads(visitor, shown, channel, rows);
    else expect([channel.id, channelInSchema(shown, channel.id)]).toEqual([channel.id, null]);
  }
}

/** Makes the channels by REST: their fields when all channels are there. */
async function buildPlace(channels: readonly GeneratedChannel[]): Promise<Place> {
  if (app.current === undefined) throw new Error('It has not been started.');
  const site = await buildSite(app.current.database.prisma);
  const [master, visitor] = [as(app.current, { token: site.master }), as(app.current, { token: site.public })];
  for (const { id, typeName, read } of channels) {
    expectEntry(await master.rest('POST', '/channels', { body: { id, typeName, acl: { read } } }), 201);
  }
  for (const { id, fields } of channels) {
    const body = {
      fields: fields.map(({ target, ...field }) => ({
        ...field,
        ...(target !== null && { channel: channels[target % channels.length]?.id }),
      })),
    };
    expectEntry(await master.rest('PATCH', `/channels/${id}`, { body }));
  }
  const schema = await readSiteSchema(master);
  const names = new Map(channels.map((channel) => [channel, channelInSchema(schema, channel.id)]));
  const named = (channel: GeneratedChannel): ChannelInSchema => {
    const found = names.get(channel);
    if (!found) throw new Error(`The schema has no channel ${channel.id}: ${schema.sdl}`);
    return found;
  };
  return { channels, master, visitor, schema, named };
}

/** Creates the entries of a channel, each through one of the schemas, without what they refer to. */
async function createRows(
  { master, named }: Pick<Place, 'master' | 'named'>,
  channel: GeneratedChannel,
): Promise<Made[]> {
  const { create, input, inputs } = named(channel);
  const made: Made[] = [];
  for (const [at, { values, isTyped }] of channel.rows.entries()) {
    const slug = `row-${at}`;
    const own = Object.entries(values).filter(([name]) => !leads(channel, name));
    if (isTyped) {
      const sent = channel.fields.length === 0 ? { fields: values } : inTyped(own, channel, inputs);
      const document = `mutation ($input: ${input}!) { made: ${create}(input: $input) { id slug } }`;
      made.push((await typed<{ made: Made }>(master, document, { input: { slug, ...sent } })).made);
    } else {
      const document =
        'mutation ($channel: ID!, $input: EntryInput!) { made: createEntry(channel: $channel, input: $input) { id slug } }';
      const variables = { channel: channel.id, input: { slug, fields: Object.fromEntries(own) } };
      made.push((await plain<{ made: Made }>(master, document, variables)).made);
    }
  }
  return made;
}

/** Values as the inputs of a channel take them. */
function inTyped(
  values: readonly (readonly [string, unknown])[],
  { fields }: GeneratedChannel,
  inputs: ReadonlyMap<string, string>,
): Row {
  return Object.fromEntries(
    values.map(([rest, value]) => {
      const type = fields.find(({ name }) => name === rest)?.type;
      return [inputs.get(rest) ?? rest, type === 'file' ? typedFile(value as Row) : value];
    }),
  );
}

function leads({ fields }: GeneratedChannel, rest: string): GeneratedField | undefined {
  return fields.find(({ name, target }) => name === rest && target !== null);
}

/** Sets what entries refer to, through the schema that they were not created by; some by slugs, some by ids. */
async function refer(
  { channels, master, named }: Place,
  channel: GeneratedChannel,
  made: ReadonlyMap<GeneratedChannel, readonly Made[]>,
): Promise<void> {
  const { update, patch, inputs } = named(channel);
  for (const [at, { values, isTyped }] of channel.rows.entries()) {
    const references = Object.entries(values).flatMap(([rest, numbers]): [string, unknown][] => {
      const field = leads(channel, rest);
      const target = field && channels[(field.target ?? 0) % channels.length];
      const entries = (target && made.get(target)) ?? [];
      if (field === undefined || entries.length === 0) return [];
      const nameOf = (number: number): string =>
        entries[number % entries.length]?.[number % 2 === 0 ? 'id' : 'slug'] ?? '';
      return [[rest, Array.isArray(numbers) ? numbers.map(nameOf) : nameOf(numbers as number)]];
    });
    const id = made.get(channel)?.[at]?.id ?? '';
    if (references.length === 0) continue;
    if (isTyped) {
      const document =
        'mutation ($channel: ID!, $id: ID!, $input: EntryInput!) { updateEntry(channel: $channel, id: $id, input: $input) { id } }';
      await plain(master, document, { channel: channel.id, id, input: { fields: Object.fromEntries(references) } });
    } else {
      const document = `mutation ($id: ID!, $input: ${patch}!) { ${update}(id: $id, input: $input) { id } }`;
      await typed(master, document, { id, input: inTyped(references, channel, inputs) });
    }
  }
}

const seed = seedOf(process.env['SEED']);

test(`random sites, of seed ${seed}, have equal answers in both schemas`, async () => {
  const property = fc.asyncProperty(generatedSite, check);
  const result = await fc.check(property, { numRuns: runs, seed, endOnFailure: true });
  if (!result.failed) {
    expect(result.numRuns).toBe(runs);
    return;
  }
  const because = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
  throw new Error(`${because}\n\n${JSON.stringify(result.counterexample, null, 1)}`);
}, 600_000);

// What a schema of a site takes to build and to keep, in a process of its own (bench/typed.mjs).
import { plainField } from '../dist/fields/definition.js';
import { resolvers } from '../dist/features.js';
import { createSchema } from '../dist/graphql/schema.js';
import { buildSiteSchema } from '../dist/features/typed/graphql/build.js';
import { makeCommonTypes } from '../dist/features/typed/graphql/commonTypes.js';
import { manyFields, manyIds } from './manyChannels.mjs';

/** Channels as they are stored, as JSON. */
function describeChannels(count, fieldsEach) {
  const ids = manyIds(count);
  const channels = ids.map((id, at) => ({
    ...{ id, name: `Channel ${at}`, typeName: null },
    fields: manyFields(at, fieldsEach, ids).map((field) => ({ ...plainField, ...field })),
  }));
  return JSON.stringify(channels);
}

const common = makeCommonTypes(createSchema(resolvers));
const held = [];
for (const [count, fieldsEach] of [
  [10, 10],
  [200, 100],
]) {
  const json = describeChannels(count, fieldsEach);
  const times = [];
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const kept = 5;
  for (let at = 0; at < kept; at += 1) {
    const channels = JSON.parse(json);
    const begun = process.cpuUsage();
    const schema = buildSiteSchema(channels, true, common);
    schema.getQueryType().getFields();
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / 1_000);
    held.push(schema);
  }
  globalThis.gc();
  const megabytes = (process.memoryUsage().heapUsed - before) / kept / 1e6;
  const [first] = times;
  const rest = Math.max(...times.slice(1));
  console.log(
    `${count} channels of ${fieldsEach} fields: built in ${first.toFixed(0)} ms of CPU the first time, then at most`,
  );
  console.log(`${rest.toFixed(0)} ms; ${megabytes.toFixed(2)} MB for each, with the definitions of the fields`);
}
console.log(`(${held.length} schemas are held)`);

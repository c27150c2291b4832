// `GET /openapi.json` (docs/contract.md §11).
import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { writeFileSync } from 'node:fs';
import { as } from '../../support/as.ts';
import { buildChannel, buildSite } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const db = app.database.prisma;
test('x', async () => {
  const site = await buildSite(db);
  await buildChannel(db, site.id, { id: 'films', fields: [{ name: 'title', type: 'string', required: true }, { name: 'year', type: 'integer' }, { name: 'who', type: 'references', channel: 'films' }] });
  await buildChannel(db, site.id, { id: 'free' });
  for (const token of [undefined, site.master, site.public]) {
  const answer = await as(app, token ? { token } : {}).rest<object>('GET', '/openapi.json');
  expect(answer.status).toBe(200);
  writeFileSync(`/tmp/openapi-${token?.slice(3,6)}.json`, JSON.stringify(answer.body, null, 1));
  expect(await new Validator().validate(answer.body)).toMatchObject({ valid: true });
  }
});

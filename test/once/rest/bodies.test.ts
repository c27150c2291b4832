// Bodies that are JSON and no object, and points outside the earth: the refusal says what is wrong (docs/contract.md §5.2, §6.3).
import { expect, test } from '@jest/globals';
import { expectProblem } from '../../support/expect.ts';
import { buildOne, buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const one = '/channels/articles/entries/one';

test.each(['null', '"x"', '5', ' true ', '[]', '[{}]'])(
  'the body %s is refused: it must be an object',
  async (body) => {
    const { master } = await buildOne(app);
    for (const [method, path] of [
      ['POST', '/channels/articles/entries'],
      ['PUT', one],
      ['PATCH', one],
      ['POST', '/channels/articles/entries/bulk'],
      ['POST', '/customers'],
      ['PATCH', '/channels/articles'],
    ] as const) {
      const refused = await master.rest(method, path, { body });
      expectProblem(refused, 'bad_request');
      expect([path, refused.body['detail']]).toEqual([path, 'The body must be a JSON object.']);
    }
  },
);

test.each(['', ' ', '{', 'nul', '{"a":1}}', "{'a':1}"])('the body %j is refused: it is not JSON', async (body) => {
  const { master } = await buildOne(app);
  const refused = await master.rest('PUT', one, { body });
  expectProblem(refused, 'bad_request');
  expect(refused.body['detail']).not.toContain('must be a JSON object');
});

test.each([
  [[181, 0], 'longitude'],
  [[-180.5, 0], 'longitude'],
  [[0, 90.1], 'latitude'],
  [[0, -91], 'latitude'],
])('a point at %j is refused with the range of its %s', async (coordinates, name) => {
  const { master } = await buildScene(app, { fields: [{ name: 'spot', type: 'geo' }] });
  const body = { spot: { type: 'Point', coordinates } };
  const refused = await master.rest('POST', '/channels/articles/entries', { body });
  expectProblem(refused, 'validation_failed', ['spot']);
  const range = name === 'longitude' ? '±180' : '±90';
  expect(refused.body['detail']).toMatch(new RegExp(`coordinates\\.[01]: ${name} must be within ${range}$`));
});

// A thousand readers that wait for changes of one site (docs/contract.md §9.2): none is refused for want of a slot, all
// get the change, and one more is refused.
import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { expectProblem } from '../support/expect.ts';
import { buildScene, suiteApp } from '../support/scene.ts';

const count = 1_000;
const app = await suiteApp({ RATE_LIMIT: 'off', STREAMS_PER_TOKEN: String(count), STREAMS_MAX: String(count) });

/** Waits for a change. It may have to give way to the one that looks whether all of them wait. */
async function poll(token: string, after: string): Promise<string> {
  let answer = await ask(token, after);
  while (answer.includes('Too many streams and long polls are open here')) answer = await ask(token, after);
  return answer;
}

/** Asks by a connection of its own, as a thousand clients do. @returns the status and the body */
function ask(token: string, after: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(`${app.url}/changes?after=${after}`, {
      agent: false,
      headers: { Authorization: `Bearer ${token}`, Prefer: 'wait=60' },
    });
    const fail = (error: Error): void => resolve(error.message);
    sent.on('error', fail).on('response', (response) => {
      let text = `${response.statusCode} `;
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', fail).on('end', () => resolve(text));
    });
    sent.end();
  });
}

test('1,000 concurrent long polls all get the next change; one more gets 429, and another caller 503', async () => {
  const scene = await buildScene(app);
  const { body } = await scene.master.rest<{ cursor: string }>('GET', '/changes?after=now');
  const answers = Array.from({ length: count }, () => poll(scene.site.master, body.cursor));
  // Another caller is refused once all of them wait.
  const wait = { headers: { Prefer: 'wait=1' } };
  let refused = await scene.visitor.rest('GET', '/changes?after=now', wait);
  while (refused.status === 200) refused = await scene.visitor.rest('GET', '/changes?after=now', wait);
  expectProblem(refused, 'unavailable');
  expect(refused.headers.get('retry-after')).toBe('5');
  const oneMore = await scene.master.rest('GET', '/changes?after=now', wait);
  expectProblem(oneMore, 'rate_limited');
  expect(oneMore.headers.get('retry-after')).toBe('5');
  const path = '/channels/articles/entries';
  const { body: created } = await scene.master.rest<{ id: string }>('POST', path, { body: { title: 'New' } });
  const others = (await Promise.all(answers)).filter(
    (answer) => !answer.startsWith('200 ') || !answer.includes(created.id),
  );
  expect(others).toEqual([]);
});

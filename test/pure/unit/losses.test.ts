import { expect, test } from '@jest/globals';
import { logLosses } from '../../../src/service/background.ts';
import { createLog } from '../../../src/base/log.ts';

test('the reason of missed changes is logged once, not repeatedly', () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line: string) => void lines.push(line) });
  let recoveries = 0;
  const onLost = logLosses(log, () => (recoveries += 1));
  for (const message of ['it ended', 'start it again', 'start it again', 'it ended']) onLost(new Error(message));
  expect(recoveries).toBe(4);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    ['it ended', 'start it again', 'it ended'].map((message) =>
      expect.objectContaining({
        level: 40,
        msg: 'changes may have been missed',
        err: expect.objectContaining({ message }),
      }),
    ),
  );
});

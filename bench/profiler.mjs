// Loaded into a service that is to be profiled: the parent sends `{ profile: 'start' }` and `{ profile: 'stop', file }`.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();

const commands = {
  start: async () => {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    await session.post('Profiler.start');
  },
  stop: async ({ file }) => {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(file, JSON.stringify(profile));
  },
};

process.on('message', (message) => void commands[message.profile](message).then(() => process.send('done')));
// It keeps no process from ending.
process.channel.unref();

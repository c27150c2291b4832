// Loaded into a service by tests (`--import`), ahead of its own code: plants what its own code must never do. The operation
// `listChannels` leaves a rejection of its request unhandled; SIGUSR2 makes one that belongs to none, and SIGHUP an uncaught error.
import { RequestStats } from '../../dist/telemetry/requestStats.js';

const plant = () => new Error('planted by a test');
const { noteOperation } = RequestStats.prototype;

RequestStats.prototype.noteOperation = function noteAndPlant(name) {
  noteOperation.call(this, name);
  if (name !== 'listChannels') return;
  const error = plant();
  this.own(error);
  void Promise.reject(new Error('Around it.', { cause: error }));
};

process.on('SIGUSR2', () => void Promise.reject(plant()));
process.on('SIGHUP', () => {
  throw plant();
});

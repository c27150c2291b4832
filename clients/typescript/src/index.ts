// The package's one entry point.
export {
  ChangeFeed,
  type ChangeActor,
  type ChangeOptions,
  type ChangePage,
  type ChangeType,
  type EntryChange,
} from './changes.ts';
export {
  Channel,
  type BulkOperation,
  type BulkResult,
  type ChangingOptions,
  type CountOptions,
  type GetOptions,
} from './channel.ts';
export { Client, createClient, type AnyChange, type Session } from './client.ts';
export { EntryList, type ListOptions, type Page } from './list.ts';
export { EntrywayError, type FieldProblem, type Problem } from './problem.ts';
export type { CallOptions, ClientOptions, WriteOptions } from './transport.ts';
export type { AnyChannel, AnyChannels, AnyEntry, ChannelMap, ChannelTypes, Embedded, Where } from './types.ts';

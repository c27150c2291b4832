// The refusals of every door, in the order of its checks: docs/contract.md §5.8 as data. refusals.test.ts tries them.
import { entryLadders, lastLadders } from './refusals.table.entries.ts';
import { graphqlLadders } from './refusals.table.graphql.ts';
import { managedLadders } from './refusals.table.managed.ts';
import { pageLadders } from './refusals.table.pages.ts';
import { readLadder, type Ladder } from './refusals.ts';

const texts = [...entryLadders, ...managedLadders, ...graphqlLadders, ...pageLadders, ...lastLadders];

export const ladders: readonly Ladder[] = texts.map(readLadder);

/** What two faults may both need of a request, each in its own way: such two are not tried in one request. */
export const sharedParts: readonly string[] = [
  'address',
  'caller',
  'coming',
  'document',
  'host',
  'idempotency-key',
  'if-match',
  'json',
  'json:variables',
  'json:variables:input:slug',
  'length',
  'lines',
  'path:articles',
  'path:one',
  'query:first',
  'query:use_acl',
  'query:variables',
  'rate',
  'service',
  'session',
  'site',
  'text',
  'token',
  'type',
  'utf-8',
];

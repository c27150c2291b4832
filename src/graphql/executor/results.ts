// The results of subscriptions.
import type { StreamPart } from '../../http/eventStream.ts';

/** The results of a subscription: events without errors as bytes, others as JSON; null as a sign that it lives. */
export type SubscriptionResults = AsyncIterable<Exclude<StreamPart, string> | null>;

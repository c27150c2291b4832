// What sync asks the service: pages of the feed, the channels, and their entries.
import { createHash } from 'node:crypto';
import type { FieldDefinition } from '../../../../src/fields/definition.ts';
import { takesChannel } from '../../../../src/fields/types.ts';
import { Refusal } from '../terminal/refusal.ts';
import { assertSuccess, readProblem, type ApiClient, type ApiResponse } from '../service/apiClient.ts';
import { listPages, type RemoteEntry } from '../service/remoteEntries.ts';

/** A change, with its entry as it is now. */
export interface RemoteChange {
  readonly type: string;
  readonly channel: string;
  readonly id: string | null;
  readonly entry: RemoteEntry | null;
}

export interface FeedPage {
  readonly changes: readonly RemoteChange[];
  readonly cursor: string;
  readonly more: boolean;
  /** Whether the service has waited for changes, as it was asked to. */
  readonly hasWaited: boolean;
}

/** The form of a channel that is not listed, but of which single entries may be seen. Its fields are not known. */
export const hiddenForm = 'hidden';

/** What a channel's entries look like: what they show changes with it, without a change of the entries. */
export interface ChannelForm {
  /** A digest of its fields; `hiddenForm`; or `absent`: there is no such channel. */
  readonly form: string;
  /** Whether the feed tells the token of changes of channels: it sees their settings. */
  readonly isTold: boolean;
  /**
   * Its reference fields, as far as its fields are known, with the channels that they refer to; null: one that is not listed,
   * so that the token is not told which.
   */
  readonly references: Readonly<Record<string, string | null>>;
}

const absentForm: ChannelForm = { form: 'absent', isTold: false, references: {} };

const pageLimit = 250;
/** How many ids a URL names. */
const maxIds = 100;

/** Where the feed ends now. @throws {Refusal} where the service refuses */
export async function readEnd(client: ApiClient): Promise<string> {
  const response = await client.request('/changes?after=now&limit=1');
  assertSuccess(response, "Can't read the changes");
  return readFeedPage(response).cursor;
}

/**
 * The changes behind a cursor. Where their entries are too large for one answer, fewer are asked for.
 * @param wait for how many seconds the service is to wait for changes if there are none
 * @returns null where the changes behind the cursor are not kept any more
 * @throws {Refusal} where the service refuses
 */
export async function readChanges(client: ApiClient, cursor: string, wait: number): Promise<FeedPage | null> {
  for (let limit = pageLimit; ; limit = Math.ceil(limit / 4)) {
    const path = `/changes?include=entry&limit=${limit}&after=${encodeURIComponent(cursor)}`;
    const response = await client.request(path, wait > 0 ? { prefer: `wait=${wait}` } : {});
    const { code } = (response.body ?? {}) as { code?: string };
    if (response.status === 410) return null;
    if (code === 'answer_too_large' && limit > 1) continue;
    assertSuccess(response, "Can't read the changes");
    return readFeedPage(response);
  }
}

/** @throws {Refusal} for an answer that is not a page of changes */
function readFeedPage({ body, headers }: ApiResponse): FeedPage {
  const { changes, cursor, more } = (body ?? {}) as Partial<FeedPage>;
  if (!Array.isArray(changes) || typeof cursor !== 'string') {
    throw new Refusal('The service answers, but not with changes: it may be older than this command.');
  }
  const hasWaited = /\bwait\b/.test(headers.get('Preference-Applied') ?? '');
  return { changes: changes as RemoteChange[], cursor, more: more === true, hasWaited };
}

/**
 * The forms of channels.
 * @param wanted which are asked for; null: all that the service lists
 * @param known those of which the file has entries. One that is not listed any more is absent, as it is from a new file, whatever is
 *   seen of it by grants
 * @throws {Refusal} where the service refuses
 */
export async function readForms(
  client: ApiClient,
  wanted: readonly string[] | null,
  known: readonly string[],
): Promise<Map<string, ChannelForm>> {
  const response = await client.request('/channels');
  assertSuccess(response, "Can't read the channels");
  const listed = new Map((response.body as RemoteDefinition[]).map((channel) => [channel.id, channel]));
  const forms = new Map<string, ChannelForm>();
  for (const id of wanted ?? new Set([...listed.keys(), ...known])) {
    const channel = listed.get(id);
    if (channel) forms.set(id, readForm(channel));
    else forms.set(id, wanted === null ? absentForm : await readUnlisted(client, id));
  }
  return forms;
}

interface RemoteDefinition {
  readonly id: string;
  readonly publishable: boolean;
  readonly title_field: string;
  readonly fields: readonly FieldDefinition[];
  readonly acl?: unknown;
}

function readForm({ publishable, title_field: titleField, fields, acl }: RemoteDefinition): ChannelForm {
  const digest = createHash('sha256').update(JSON.stringify([publishable, titleField, fields]));
  const references = fields.flatMap(({ name, type, channel }) =>
    takesChannel(type) ? [[name, channel] as const] : [],
  );
  return {
    form: digest.digest('hex').slice(0, 16),
    isTold: acl !== undefined,
    references: Object.fromEntries(references),
  };
}

/** A channel that is not listed may have single entries that the token sees. */
async function readUnlisted(client: ApiClient, id: string): Promise<ChannelForm> {
  const { status } = await client.request(`/channels/${id}/entries?per_page=1`);
  return status === 404 ? absentForm : { form: hiddenForm, isTold: false, references: {} };
}

/** Whether the token sees an entry. */
export async function isSeen(client: ApiClient, channel: string, id: string): Promise<boolean> {
  const { status } = await client.request(`/channels/${channel}/entries/${id}?only=slug`);
  return status !== 404;
}

/** All entries of a channel that the token sees; none where there is no such channel. @throws {Refusal} */
export function listRemoteEntries(client: ApiClient, channel: string): AsyncGenerator<RemoteEntry[]> {
  return listPages(client, channel, 'sort=created_at', 'empty');
}

/**
 * The entries of a channel that refer to some others.
 * @param say is told where they can't be found
 */
export async function* listReferring(
  client: ApiClient,
  { channel, field, ids }: { readonly channel: string; readonly field: string; readonly ids: readonly string[] },
  say: (line: string) => void,
): AsyncGenerator<RemoteEntry> {
  for (let from = 0; from < ids.length; from += maxIds) {
    const list = ids.slice(from, from + maxIds).join(',');
    const filter = `${field}.in=${list}`;
    const probe = await client.request(`/channels/${channel}/entries?per_page=1&only=slug&${filter}`);
    if (probe.status === 200) for await (const page of listPages(client, channel, filter, 'empty')) yield* page;
    // The field or the channel is gone by now: the next look at the channels finds that.
    else say(`Can't look up who refers to ${channel}.${field}: ${readProblem(probe.body, probe.status).reason}`);
  }
}

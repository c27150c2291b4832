// An entry as REST writes it: custom fields flat beside the fixed ones (docs/contract.md §5).
import type { PublicEntry } from './entry.ts';

/** The JSON object of an entry. Members that are not the caller's to read are left out. */
export function restEntry(entry: PublicEntry): Record<string, unknown> {
  return {
    id: entry.id,
    url: entry.url,
    short_id: entry.shortId,
    slug: entry.slug,
    channel: entry.channel.id,
    created_at: entry.createdAt.toISOString(),
    updated_at: entry.updatedAt.toISOString(),
    ...(entry.titleFieldValue !== undefined && { title_field_value: entry.titleFieldValue }),
    _status: entry.status,
    _publish_at: entry.publishAt?.toISOString() ?? null,
    ...(entry.acl !== undefined && { _acl: entry.acl }),
    ...(entry.owner !== undefined && { _owner: entry.owner }),
    ...entry.fields,
  };
}

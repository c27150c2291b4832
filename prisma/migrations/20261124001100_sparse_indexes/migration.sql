-- Two indexes without the rows that nobody looks for by them: entries that nobody owns, and values that are not unique. Each
-- write of such a row is cheaper, and the index of owners has no 78 bytes for each of them. Look-ups compare by `=`, which
-- finds no null, so that they use the indexes as before.
DROP INDEX "entries_site_id_channel_uid_owner_created_at_id_idx";
CREATE INDEX "entries_owner_idx" ON "entries" ("site_id", "channel_uid", "owner", "created_at", "id") WHERE "owner" IS NOT NULL;

DROP INDEX "entry_values_site_id_channel_uid_field_digest_key";
CREATE UNIQUE INDEX "entry_values_digest_key" ON "entry_values" ("site_id", "channel_uid", "field", "digest") WHERE "digest" IS NOT NULL;

-- Stores new entries of several requests (src/entries/sql/joinCreates.ts) as "entryway_create_entries" does, but waits for no lock longer
-- than a moment: meanwhile it would hold up the entries of the other requests, and what it has inserted would hold up others. The limit
-- is not set on that function itself, which bulks and imports call in transactions of their own.
CREATE OR REPLACE FUNCTION "entryway_join_creates"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_drafts" JSONB, "p_indexed" JSONB)
RETURNS TABLE ("entry_id" UUID, "outcome" TEXT) LANGUAGE plpgsql SET "lock_timeout" TO '100ms' AS $$
BEGIN
    RETURN QUERY SELECT c."entry_id", c."outcome" FROM "entryway_create_entries"("p_site_id", "p_lock", "p_channel_uid",
        "p_channel_version", "p_fields_version", "p_language", "p_drafts", "p_indexed") AS c;
END
$$;

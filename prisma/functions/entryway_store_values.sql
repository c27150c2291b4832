-- Stores the rows of the side table of an entry, in the order of their fields, so that concurrent writes cannot deadlock.
CREATE OR REPLACE FUNCTION "entryway_store_values"(
    "p_site_id" TEXT, "p_entry_id" UUID, "p_channel_uid" UUID, "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_digests" BYTEA[])
RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "v_row" RECORD;
BEGIN
    FOR "v_row" IN SELECT i."field", "entryway_index_key"(i."value", i."key") AS "key", i."digest"
        FROM unnest("p_fields", "p_values", "p_keys", "p_digests") AS i ("field", "value", "key", "digest") ORDER BY i."field"
    LOOP
        INSERT INTO "entry_values" ("site_id", "entry_id", "channel_uid", "field", "key", "digest")
        VALUES ("p_site_id", "p_entry_id", "p_channel_uid", "v_row"."field", "v_row"."key", "v_row"."digest")
        ON CONFLICT ("site_id", "entry_id", "field") DO UPDATE SET "key" = EXCLUDED."key", "digest" = EXCLUDED."digest"
        WHERE ("entry_values"."key", "entry_values"."digest") IS DISTINCT FROM (EXCLUDED."key", EXCLUDED."digest");
    END LOOP;
END
$$;

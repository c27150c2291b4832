-- Stores entries that were derived for the fields that their channel has now, except those that were written meanwhile. FALSE: the
-- fields are others by now, and nothing was stored.
CREATE OR REPLACE FUNCTION "entryway_store_derived"(
    "p_site_id" TEXT, "p_channel_uid" UUID, "p_fields_version" INTEGER, "p_language" REGCONFIG, "p_rows" JSONB, "p_indexed" JSONB)
RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "v_row" RECORD;
    "v_stored" UUID[] := '{}';
BEGIN
    PERFORM c."uid" FROM "channels" c WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid"
        AND c."fields_version" = "p_fields_version" FOR SHARE;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    FOR "v_row" IN
        SELECT r.* FROM jsonb_to_recordset("p_rows")
            AS r ("id" UUID, "version" INTEGER, "data" JSONB, "kept" JSONB, "title" TEXT, "a" TEXT, "b" TEXT, "c" TEXT)
        ORDER BY r."id"
    LOOP
        UPDATE "entries" e SET "data" = "v_row"."data", "kept" = "v_row"."kept", "title" = left("v_row"."title", 1000),
            "search" = "entryway_search_vector"("p_channel_uid", "p_language", "v_row"."a", "v_row"."b", "v_row"."c"),
            "fields_version" = "p_fields_version"
        WHERE e."site_id" = "p_site_id" AND e."id" = "v_row"."id" AND e."channel_uid" = "p_channel_uid"
            AND e."version" = "v_row"."version";
        IF FOUND THEN
            "v_stored" := "v_stored" || "v_row"."id";
        END IF;
    END LOOP;
    -- In the order of their values, so that concurrent calls cannot deadlock.
    FOR "v_row" IN
        SELECT w.* FROM (
            SELECT i."id", i."field", "entryway_index_key"(i."value", i."key") AS "key",
                CASE WHEN i."unique" THEN "entryway_digest"(i."value") END AS "digest"
            FROM jsonb_to_recordset("p_indexed") AS i ("id" UUID, "field" TEXT, "value" JSONB, "key" TEXT, "unique" BOOLEAN)) AS w
        WHERE w."id" = ANY("v_stored") ORDER BY w."field", w."digest", w."id"
    LOOP
        INSERT INTO "entry_values" ("site_id", "entry_id", "channel_uid", "field", "key", "digest")
        VALUES ("p_site_id", "v_row"."id", "p_channel_uid", "v_row"."field", "v_row"."key", "v_row"."digest")
        ON CONFLICT ("site_id", "entry_id", "field") DO UPDATE SET "key" = EXCLUDED."key", "digest" = EXCLUDED."digest"
        WHERE ("entry_values"."key", "entry_values"."digest") IS DISTINCT FROM (EXCLUDED."key", EXCLUDED."digest");
    END LOOP;
    RETURN TRUE;
END
$$;

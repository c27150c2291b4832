-- Stores new entries of one channel where the tables are distributed: their rows in the order of their slugs, and those of the side table
-- in the order of their values, so that concurrent calls cannot deadlock. "p_indexed" has the values of the side table, with the ids of
-- their entries. No row: the channel has another version.
CREATE OR REPLACE FUNCTION "entryway_create_each"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_drafts" JSONB, "p_indexed" JSONB)
RETURNS TABLE ("entry_id" UUID, "outcome" TEXT) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_new" RECORD;
    "v_entry" RECORD;
    "v_value" RECORD;
    -- By the ids of entries, the unique fields whose values others have, a line for each.
    "v_taken" JSONB := '{}';
    "v_stored" UUID[] := '{}';
    "v_search" TSVECTOR;
    "v_open" BOOLEAN;
    "v_number" BIGINT;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN;
    END IF;
    FOR "v_value" IN
        SELECT i."id", i."field", "entryway_digest"(i."value") AS "digest"
        FROM jsonb_to_recordset("p_indexed") AS i ("id" UUID, "field" TEXT, "value" JSONB, "key" TEXT, "unique" BOOLEAN) WHERE i."unique"
    LOOP
        PERFORM v."entry_id" FROM "entry_values" v WHERE v."site_id" = "p_site_id" AND v."channel_uid" = "p_channel_uid"
            AND v."field" = "v_value"."field" AND v."digest" = "v_value"."digest" AND v."entry_id" <> "v_value"."id" LIMIT 1;
        IF FOUND THEN
            "v_taken" := "v_taken" || jsonb_build_object("v_value"."id",
                concat_ws(E'\n', "v_taken" ->> "v_value"."id"::TEXT, "v_value"."field"));
        END IF;
    END LOOP;
    FOR "v_new" IN
        SELECT n.* FROM jsonb_to_recordset("p_drafts") AS n ("id" UUID, "shortId" TEXT, "version" INTEGER, "at" TIMESTAMPTZ,
            "createdAt" TIMESTAMPTZ, "updatedAt" TIMESTAMPTZ, "slug" TEXT, "status" "entry_status", "publishAt" TIMESTAMPTZ, "acl" JSONB,
            "owner" TEXT, "data" JSONB, "kept" JSONB, "title" TEXT, "a" TEXT, "b" TEXT, "c" TEXT,
            "actor" JSONB)
        ORDER BY n."slug"
    LOOP
        "entry_id" := "v_new"."id";
        IF "v_taken" ? "v_new"."id"::TEXT THEN
            "outcome" := E'taken\n' || ("v_taken" ->> "v_new"."id"::TEXT);
            RETURN NEXT;
            CONTINUE;
        END IF;
        "v_open" := "v_new"."status" <> 'draft' AND ("v_new"."publishAt" IS NULL OR "v_new"."publishAt" <= "v_new"."at");
        "v_search" := "entryway_search_vector"("p_channel_uid", "p_language", "v_new"."a", "v_new"."b", "v_new"."c");
        INSERT INTO "entries" AS e ("site_id", "id", "channel_uid", "short_id", "version", "created_at", "updated_at", "slug", "status",
            "publish_at", "acl", "owner", "data", "kept", "title", "search", "fields_version", "announced", "sight_version")
        VALUES ("p_site_id", "v_new"."id", "p_channel_uid", "v_new"."shortId", "v_new"."version", "v_new"."createdAt",
            "v_new"."updatedAt", "v_new"."slug", "v_new"."status", "v_new"."publishAt", "v_new"."acl", "v_new"."owner", "v_new"."data",
            "v_new"."kept", left("v_new"."title", 1000), "v_search", "p_fields_version", "v_open", "v_channel"."sight_version")
        ON CONFLICT DO NOTHING
        RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
            e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
        IF NOT FOUND THEN
            "outcome" := 'duplicate';
            RETURN NEXT;
            CONTINUE;
        END IF;
        "v_number" := "entryway_record_number"();
        INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
            "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
        VALUES ("p_site_id", "v_number", 'entry.created', "v_new"."at", "p_channel_uid", "v_channel"."id", "v_new"."id",
            "v_new"."version", CASE WHEN "v_channel"."publishable" AND "v_open" THEN TRUE END, "v_channel"."sight", "v_open",
            "v_new"."owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'), "v_new"."actor");
        "v_stored" := "v_stored" || "v_new"."id";
        "outcome" := "entryway_stored"("v_entry");
        RETURN NEXT;
    END LOOP;
    FOR "v_value" IN
        SELECT w.* FROM (
            SELECT i."id", i."field", "entryway_index_key"(i."value", i."key") AS "key",
                CASE WHEN i."unique" THEN "entryway_digest"(i."value") END AS "digest"
            FROM jsonb_to_recordset("p_indexed") AS i ("id" UUID, "field" TEXT, "value" JSONB, "key" TEXT, "unique" BOOLEAN)) AS w
        WHERE w."id" = ANY("v_stored") ORDER BY w."field", w."digest", w."id"
    LOOP
        INSERT INTO "entry_values" ("site_id", "entry_id", "channel_uid", "field", "key", "digest")
        VALUES ("p_site_id", "v_value"."id", "p_channel_uid", "v_value"."field", "v_value"."key", "v_value"."digest");
    END LOOP;
END
$$;

-- Stores a new entry. "p_at" is the time of its record, "p_actor" the author of it.
CREATE OR REPLACE FUNCTION "entryway_create_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_at" TIMESTAMPTZ, "p_id" UUID, "p_short_id" TEXT, "p_version" INTEGER,
    "p_created_at" TIMESTAMPTZ, "p_updated_at" TIMESTAMPTZ, "p_slug" TEXT, "p_status" "entry_status", "p_publish_at" TIMESTAMPTZ,
    "p_acl" JSONB, "p_owner" TEXT, "p_data" JSONB, "p_kept" JSONB, "p_title" TEXT, "p_a" TEXT, "p_b" TEXT, "p_c" TEXT,
    "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_uniques" BOOLEAN[],
    "p_actor" JSONB DEFAULT NULL)
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_entry" RECORD;
    "v_digests" BYTEA[] := "entryway_digests"("p_values", "p_uniques");
    "v_taken" TEXT[];
    "v_open" BOOLEAN := "p_status" <> 'draft' AND ("p_publish_at" IS NULL OR "p_publish_at" <= "p_at");
    "v_number" BIGINT;
    "v_search" TSVECTOR;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN 'stale';
    END IF;
    IF "v_digests" IS NOT NULL THEN
        "v_taken" := "entryway_taken_fields"("p_site_id", "p_channel_uid", "p_id", "p_fields", "v_digests");
        IF "v_taken" <> '{}' THEN
            RETURN E'taken\n' || array_to_string("v_taken", E'\n');
        END IF;
    END IF;
    "v_search" := "entryway_search_vector"("p_channel_uid", "p_language", "p_a", "p_b", "p_c");
    INSERT INTO "entries" AS e ("site_id", "id", "channel_uid", "short_id", "version", "created_at", "updated_at", "slug", "status",
        "publish_at", "acl", "owner", "data", "kept", "title", "search", "fields_version", "announced", "sight_version")
    VALUES ("p_site_id", "p_id", "p_channel_uid", "p_short_id", "p_version", "p_created_at", "p_updated_at", "p_slug", "p_status",
        "p_publish_at", "p_acl", "p_owner", "p_data", "p_kept", left("p_title", 1000),
        "v_search", "p_fields_version", "v_open",
        "v_channel"."sight_version")
    ON CONFLICT DO NOTHING
    RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
        e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
    IF NOT FOUND THEN
        RETURN 'duplicate';
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.created', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_open" THEN TRUE END, "v_channel"."sight", "v_open",
        "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'), "p_actor");
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

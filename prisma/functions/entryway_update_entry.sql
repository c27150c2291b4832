-- Stores an entry's new values, if it has the version that the write was decided on. The entry as it was is read without a lock,
-- which would cost as much as the update: if it is not that entry any more, that is stale.
CREATE OR REPLACE FUNCTION "entryway_update_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_at" TIMESTAMPTZ, "p_id" UUID, "p_version" INTEGER, "p_slug" TEXT, "p_status" "entry_status",
    "p_publish_at" TIMESTAMPTZ, "p_acl" JSONB, "p_owner" TEXT, "p_data" JSONB, "p_kept" JSONB, "p_title" TEXT,
    "p_a" TEXT, "p_b" TEXT, "p_c" TEXT, "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_uniques" BOOLEAN[],
    "p_actor" JSONB DEFAULT NULL)
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_old" "entryway_past_entry";
    "v_entry" RECORD;
    "v_digests" BYTEA[] := "entryway_digests"("p_values", "p_uniques");
    "v_taken" TEXT[];
    "v_open" BOOLEAN;
    "v_was_open" BOOLEAN;
    "v_number" BIGINT;
    "v_search" TSVECTOR;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN 'stale';
    END IF;
    SELECT e."id", e."version", e."created_at", e."status", e."publish_at", e."owner", e."read_grant", e."read_deny", e."announced",
        e."sight_version" INTO "v_old" FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = "p_id"
            AND e."channel_uid" = "p_channel_uid" AND e."version" = "p_version";
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    IF "v_digests" IS NOT NULL THEN
        "v_taken" := "entryway_taken_fields"("p_site_id", "p_channel_uid", "p_id", "p_fields", "v_digests");
        IF "v_taken" <> '{}' THEN
            RETURN E'taken\n' || array_to_string("v_taken", E'\n');
        END IF;
    END IF;
    -- Others read the entry until now, and not until the request began.
    "v_was_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
        AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
    -- What others read is not taken back because a process has a slow clock, as long as the publication state and time stay the same.
    "v_open" := ("p_status" <> 'draft' AND ("p_publish_at" IS NULL OR "p_publish_at" <= "p_at"))
        OR ("v_was_open" AND "p_status" = "v_old"."status" AND "p_publish_at" IS NOT DISTINCT FROM "v_old"."publish_at");
    "v_search" := "entryway_search_vector"("p_channel_uid", "p_language", "p_a", "p_b", "p_c");
    UPDATE "entries" e SET "version" = e."version" + 1, "updated_at" = "p_at", "slug" = "p_slug", "status" = "p_status",
        "publish_at" = "p_publish_at", "acl" = "p_acl", "owner" = "p_owner", "data" = "p_data", "kept" = "p_kept",
        "title" = left("p_title", 1000),
        "search" = "v_search", "fields_version" = "p_fields_version", "announced" = "v_open", "sight_version" = "v_channel"."sight_version"
    WHERE e."site_id" = "p_site_id" AND e."id" = "p_id" AND e."version" = "v_old"."version"
        AND e."announced" IS NOT DISTINCT FROM "v_old"."announced" AND e."sight_version" = "v_old"."sight_version"
    RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
        e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    IF ("v_channel"."publishable" AND "v_was_open" AND NOT "v_old"."announced")
        OR ("v_channel"."earlier_sights" <> '{}' AND "v_old"."sight_version" < "v_channel"."sight_version") THEN
        PERFORM "entryway_record_past"("p_site_id", "p_channel_uid", "v_old", "v_was_open", "p_at");
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.updated', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "v_entry"."version",
        CASE WHEN "v_channel"."publishable" AND "v_open" <> "v_was_open" THEN "v_open" END,
        "v_channel"."sight", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
        "v_channel"."sight", "v_open", "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'),
        "p_actor");
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

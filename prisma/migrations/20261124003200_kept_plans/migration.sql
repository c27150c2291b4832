-- Creates and updates of entries as before (the migration "write_functions" says how), in statements that Citus runs by plans that it
-- keeps: what a write returns are columns, of which the outcome is made afterwards, and each row of the side table is
-- written by a statement of its own.

-- The outcome of a write that stored an entry.
CREATE FUNCTION "entryway_stored"("entry" RECORD) RETURNS TEXT LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN concat_ws(E'\n', 'stored',
        concat_ws(',', "entry"."id", "entry"."short_id", "entry"."slug", "entry"."version", "entry"."status", "entry"."size",
            "entry"."fields_version", "entry"."created_at", "entry"."updated_at", "entry"."publish_at"),
        "entry"."acl", "entry"."data", "entry"."kept", "entry"."title");
END
$$;

-- Stores the rows of the side table of an entry, in the order of their fields, so that concurrent writes cannot deadlock.
CREATE FUNCTION "entryway_store_values"(
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

CREATE OR REPLACE FUNCTION "entryway_create_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_at" TIMESTAMPTZ, "p_id" UUID, "p_short_id" TEXT, "p_version" INTEGER,
    "p_created_at" TIMESTAMPTZ, "p_updated_at" TIMESTAMPTZ, "p_slug" TEXT, "p_status" "entry_status", "p_publish_at" TIMESTAMPTZ,
    "p_acl" JSONB, "p_owner" TEXT, "p_data" JSONB, "p_kept" JSONB, "p_title" TEXT, "p_a" TEXT, "p_b" TEXT, "p_c" TEXT,
    "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_uniques" BOOLEAN[])
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_entry" RECORD;
    "v_digests" BYTEA[] := "entryway_digests"("p_values", "p_uniques");
    "v_taken" TEXT[];
    "v_open" BOOLEAN := "p_status" <> 'draft' AND ("p_publish_at" IS NULL OR "p_publish_at" <= "p_at");
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
    INSERT INTO "entries" AS e ("site_id", "id", "channel_uid", "short_id", "version", "created_at", "updated_at", "slug", "status",
        "publish_at", "acl", "owner", "data", "kept", "title", "search", "fields_version", "announced", "sight_version")
    VALUES ("p_site_id", "p_id", "p_channel_uid", "p_short_id", "p_version", "p_created_at", "p_updated_at", "p_slug", "p_status",
        "p_publish_at", "p_acl", "p_owner", "p_data", "p_kept", left("p_title", 1000),
        "entryway_search_vector"("p_channel_uid", "p_language", "p_a", "p_b", "p_c"), "p_fields_version", "v_open",
        "v_channel"."sight_version")
    ON CONFLICT DO NOTHING
    RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
        e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
    IF NOT FOUND THEN
        RETURN 'duplicate';
    END IF;
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", 'entry.created', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_open" THEN TRUE END, "v_channel"."sight", "v_open",
        "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'));
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

CREATE OR REPLACE FUNCTION "entryway_update_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_at" TIMESTAMPTZ, "p_id" UUID, "p_version" INTEGER, "p_slug" TEXT, "p_status" "entry_status",
    "p_publish_at" TIMESTAMPTZ, "p_acl" JSONB, "p_owner" TEXT, "p_data" JSONB, "p_kept" JSONB, "p_title" TEXT,
    "p_a" TEXT, "p_b" TEXT, "p_c" TEXT, "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_uniques" BOOLEAN[])
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_old" RECORD;
    "v_entry" RECORD;
    "v_digests" BYTEA[] := "entryway_digests"("p_values", "p_uniques");
    "v_taken" TEXT[];
    "v_open" BOOLEAN;
    "v_announced" BOOLEAN;
    "v_was_open" BOOLEAN;
    "v_sights" SMALLINT;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN 'stale';
    END IF;
    SELECT e."version", e."status", e."publish_at", e."owner", e."read_grant", e."read_deny", e."announced", e."sight_version"
        INTO "v_old" FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = "p_id"
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
    -- What was announced is not taken back because a process has a slow clock, as long as the publication state and time stay
    -- the same.
    "v_open" := ("p_status" <> 'draft' AND ("p_publish_at" IS NULL OR "p_publish_at" <= "p_at"))
        OR (coalesce("v_old"."announced", FALSE) AND "p_status" = "v_old"."status"
            AND "p_publish_at" IS NOT DISTINCT FROM "v_old"."publish_at");
    UPDATE "entries" e SET "version" = e."version" + 1, "updated_at" = "p_at", "slug" = "p_slug", "status" = "p_status",
        "publish_at" = "p_publish_at", "acl" = "p_acl", "owner" = "p_owner", "data" = "p_data", "kept" = "p_kept",
        "title" = left("p_title", 1000),
        "search" = "entryway_search_vector"("p_channel_uid", "p_language", "p_a", "p_b", "p_c"),
        "fields_version" = "p_fields_version", "announced" = "v_open", "sight_version" = "v_channel"."sight_version"
    WHERE e."site_id" = "p_site_id" AND e."id" = "p_id" AND e."version" = "v_old"."version"
        AND e."announced" IS NOT DISTINCT FROM "v_old"."announced" AND e."sight_version" = "v_old"."sight_version"
    RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
        e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    -- Others read the entry until now, and not until the request began.
    "v_was_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
        AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
    "v_announced" := coalesce("v_old"."announced",
        "v_old"."status" <> 'draft' AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= "p_at"));
    "v_sights" := "v_channel"."sight";
    IF "v_old"."sight_version" < "v_channel"."sight_version" THEN
        "v_sights" := "v_sights" | "entryway_earlier_sights"("v_channel"."earlier_sights",
            "v_channel"."sight_version" - "v_old"."sight_version");
    END IF;
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", 'entry.updated', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "v_entry"."version",
        CASE WHEN "v_channel"."publishable" AND "v_open" <> "v_announced" THEN "v_open" END,
        "v_sights", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
        "v_channel"."sight", "v_open", "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'));
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

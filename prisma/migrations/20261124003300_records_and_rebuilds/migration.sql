-- What is recorded, rebuilt and dropped in the background, and what a field that becomes unique claims, as functions, as writes of
-- entries are: each statement writes one table of one site, which Citus runs on the node that has the site.

-- Records for a batch of a channel's entries that its earlier sights have ended for them (docs/contract.md §9). No row: none are to
-- be recorded. Else the version that the channel has, how many entries the batch had, and the last of them. Of a channel that has
-- another version than the batches before were for nothing is recorded; NULL: there was none before.
CREATE FUNCTION "entryway_record_sights"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_version" INTEGER, "p_at" TIMESTAMPTZ,
    "p_after_at" TIMESTAMPTZ, "p_after_id" UUID, "p_limit" INTEGER)
RETURNS TABLE ("sight_version" INTEGER, "entries" INTEGER, "last_at" TIMESTAMPTZ, "last_id" UUID) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_channel" RECORD;
    "v_old" RECORD;
    "v_earlier" SMALLINT;
    "v_open" BOOLEAN;
    "v_count" INTEGER := 0;
    "v_last_at" TIMESTAMPTZ;
    "v_last_id" UUID;
BEGIN
    PERFORM pg_advisory_xact_lock_shared("p_lock");
    SELECT c."id", c."publishable", c."sight", c."earlier_sights", c."sight_version" INTO "v_channel" FROM "channels" c
        WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid" AND c."earlier_sights" <> '{}' FOR SHARE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF "p_version" <> "v_channel"."sight_version" THEN
        RETURN QUERY SELECT "v_channel"."sight_version", 0, NULL::TIMESTAMPTZ, NULL::UUID;
        RETURN;
    END IF;
    FOR "v_old" IN
        SELECT o."id", o."version", o."created_at", o."status", o."publish_at", o."owner", o."read_grant", o."read_deny",
            o."announced", o."sight_version"
        FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."channel_uid" = "p_channel_uid"
            AND o."sight_version" < "v_channel"."sight_version"
            AND (o."created_at", o."id") > (coalesce("p_after_at", '-infinity'), coalesce("p_after_id", '00000000-0000-0000-0000-000000000000'))
        ORDER BY o."created_at", o."id" LIMIT "p_limit" FOR SHARE
    LOOP
        "v_earlier" := "entryway_earlier_sights"("v_channel"."earlier_sights", "v_channel"."sight_version" - "v_old"."sight_version");
        -- Others read the entry until now, and not until the request began.
        "v_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
            AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
        INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
            "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
            "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
        VALUES ("p_site_id", 'entry.sight', "p_at", "p_channel_uid", "v_channel"."id", "v_old"."id", "v_old"."version",
            -- The sights of channels that are not publishable are 85, those of publishable ones 170 (entryway_sight).
            CASE WHEN "v_open" THEN NULL
                WHEN "v_channel"."publishable" AND "v_earlier" & 85::SMALLINT <> 0 THEN FALSE
                WHEN NOT "v_channel"."publishable" AND "v_earlier" & 170::SMALLINT <> 0 THEN TRUE END,
            "v_earlier", "v_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
            "v_channel"."sight", "v_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'));
        "v_count" := "v_count" + 1;
        "v_last_at" := "v_old"."created_at";
        "v_last_id" := "v_old"."id";
    END LOOP;
    RETURN QUERY SELECT "v_channel"."sight_version", "v_count", "v_last_at", "v_last_id";
END
$$;

-- Records that the time of some entries of a channel has come, in the order of their times: whether this transaction has the site's
-- turn to do so, and how many were recorded, or are not to be. What others have locked is left out.
CREATE FUNCTION "entryway_record_opened"(
    "p_site_id" TEXT, "p_turn" BIGINT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_at" TIMESTAMPTZ, "p_ids" UUID[])
RETURNS TABLE ("has_turn" BOOLEAN, "entries" INTEGER) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_channel" RECORD;
    "v_old" RECORD;
    "v_id" UUID;
    "v_ids" UUID[] := '{}';
    "v_sights" SMALLINT;
BEGIN
    IF NOT pg_try_advisory_xact_lock("p_turn") THEN
        RETURN QUERY SELECT FALSE, 0;
        RETURN;
    END IF;
    IF pg_try_advisory_xact_lock_shared("p_lock") THEN
        SELECT c."id", c."publishable", c."sight", c."earlier_sights", c."sight_version" INTO "v_channel" FROM "channels" c
            WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid" FOR SHARE;
        IF FOUND THEN
            FOR "v_id" IN
                SELECT o."id" FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."id" = ANY("p_ids")
                    AND o."channel_uid" = "p_channel_uid" AND NOT o."announced" AND o."status" <> 'draft' AND o."publish_at" <= "p_at"
                ORDER BY o."id" LIMIT cardinality("p_ids") FOR UPDATE SKIP LOCKED
            LOOP
                "v_ids" := "v_ids" || "v_id";
            END LOOP;
        END IF;
    END IF;
    FOR "v_old" IN
        SELECT o."id", o."version", o."publish_at", o."owner", o."read_grant", o."read_deny", o."sight_version"
        FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."id" = ANY("v_ids")
        ORDER BY o."publish_at", o."id" LIMIT cardinality("v_ids")
    LOOP
        UPDATE "entries" e SET "announced" = TRUE, "sight_version" = "v_channel"."sight_version"
            WHERE e."site_id" = "p_site_id" AND e."id" = "v_old"."id";
        "v_sights" := "v_channel"."sight";
        IF "v_old"."sight_version" < "v_channel"."sight_version" THEN
            "v_sights" := "v_sights" | "entryway_earlier_sights"("v_channel"."earlier_sights",
                "v_channel"."sight_version" - "v_old"."sight_version");
        END IF;
        IF "v_channel"."publishable" THEN
            INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "entry_id", "version",
                "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
                "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
            VALUES ("p_site_id", 'entry.published', "v_old"."publish_at", "p_channel_uid", "v_channel"."id", "v_old"."id", "v_old"."version",
                "v_sights", FALSE, "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
                "v_channel"."sight", TRUE, "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'));
        END IF;
    END LOOP;
    RETURN QUERY SELECT TRUE, cardinality("v_ids");
END
$$;

-- Stores entries that were derived for the fields that their channel has now, except those that were written meanwhile. FALSE: the
-- fields are others by now, and nothing was stored.
CREATE FUNCTION "entryway_store_derived"(
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

-- Claims for each entry of a channel the value that it was given in a field, if the channel has this version and these fields, so that
-- no other entry can get the same value. It violates the unique constraint if two entries have the same one.
CREATE FUNCTION "entryway_claim_values"(
    "p_site_id" TEXT, "p_channel_uid" UUID, "p_version" INTEGER, "p_declared" JSONB, "p_field" TEXT, "p_type" TEXT)
RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM c."uid" FROM "channels" c WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid"
        AND c."version" = "p_version" AND c."fields" = "p_declared";
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE "entry_values" v SET "digest" = NULL
        WHERE v."site_id" = "p_site_id" AND v."channel_uid" = "p_channel_uid" AND v."field" = "p_field" AND v."digest" IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = v."entry_id"
                    AND jsonb_typeof(coalesce(e."kept" -> "p_field", e."data" -> "p_field")) = "p_type");
    INSERT INTO "entry_values" ("site_id", "entry_id", "channel_uid", "field", "digest")
        SELECT e."site_id", e."id", e."channel_uid", "p_field", "entryway_digest"(coalesce(e."kept" -> "p_field", e."data" -> "p_field"))
        FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."channel_uid" = "p_channel_uid"
            AND jsonb_typeof(coalesce(e."kept" -> "p_field", e."data" -> "p_field")) = "p_type"
    ON CONFLICT ("site_id", "entry_id", "field") DO UPDATE SET "digest" = EXCLUDED."digest";
END
$$;

-- Drops the oldest records of a site, those before a time, and notes which was the last. Returns how many.
CREATE FUNCTION "entryway_drop_changes"("p_site_id" TEXT, "p_oldest" TIMESTAMPTZ, "p_limit" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
    "v_row" RECORD;
    "v_last" BIGINT;
    "v_count" INTEGER := 0;
BEGIN
    FOR "v_row" IN
        SELECT c."position", c."at" FROM "changes" c
        WHERE c."site_id" = "p_site_id" AND c."position" < 4611686018427387904 ORDER BY c."position" LIMIT "p_limit"
    LOOP
        EXIT WHEN "v_row"."at" >= "p_oldest";
        "v_last" := "v_row"."position";
    END LOOP;
    IF "v_last" IS NOT NULL THEN
        DELETE FROM "changes" c WHERE c."site_id" = "p_site_id" AND c."position" <= "v_last";
        GET DIAGNOSTICS "v_count" = ROW_COUNT;
    END IF;
    IF "v_count" > 0 THEN
        UPDATE "change_feeds" f SET "dropped" = greatest(f."dropped", "v_last") WHERE f."site_id" = "p_site_id";
    END IF;
    RETURN "v_count";
END
$$;

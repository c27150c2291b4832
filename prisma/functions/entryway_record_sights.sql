-- Records for a batch of a channel's entries that its earlier sights have ended for them (docs/contract.md §9). No row: none are to
-- be recorded. Else the version that the channel has, how many entries the batch had, and the last of them. Of a channel that has
-- another version than the batches before were for nothing is recorded; NULL: there was none before.
CREATE OR REPLACE FUNCTION "entryway_record_sights"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_version" INTEGER, "p_at" TIMESTAMPTZ,
    "p_after_at" TIMESTAMPTZ, "p_after_id" UUID, "p_limit" INTEGER)
RETURNS TABLE ("sight_version" INTEGER, "entries" INTEGER, "last_at" TIMESTAMPTZ, "last_id" UUID) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_version" INTEGER;
    "v_old" "entryway_past_entry";
    "v_open" BOOLEAN;
    "v_count" INTEGER := 0;
    "v_last_at" TIMESTAMPTZ;
    "v_last_id" UUID;
BEGIN
    PERFORM pg_advisory_xact_lock_shared("p_lock");
    SELECT c."sight_version" INTO "v_version" FROM "channels" c
        WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid" AND c."earlier_sights" <> '{}' FOR SHARE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF "p_version" <> "v_version" THEN
        RETURN QUERY SELECT "v_version", 0, NULL::TIMESTAMPTZ, NULL::UUID;
        RETURN;
    END IF;
    FOR "v_old" IN
        SELECT o."id", o."version", o."created_at", o."status", o."publish_at", o."owner", o."read_grant", o."read_deny",
            o."announced", o."sight_version"
        FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."channel_uid" = "p_channel_uid"
            AND o."sight_version" < "v_version"
            AND (o."created_at", o."id") > (coalesce("p_after_at", '-infinity'), coalesce("p_after_id", '00000000-0000-0000-0000-000000000000'))
        ORDER BY o."created_at", o."id" LIMIT "p_limit" FOR SHARE
    LOOP
        -- Others read the entry until now, and not until the request began.
        "v_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
            AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
        PERFORM "entryway_record_past"("p_site_id", "p_channel_uid", "v_old", "v_open", "p_at");
        IF "v_open" AND NOT "v_old"."announced" THEN
            UPDATE "entries" e SET "announced" = TRUE, "sight_version" = "v_version"
                WHERE e."site_id" = "p_site_id" AND e."id" = "v_old"."id";
        END IF;
        "v_count" := "v_count" + 1;
        "v_last_at" := "v_old"."created_at";
        "v_last_id" := "v_old"."id";
    END LOOP;
    RETURN QUERY SELECT "v_version", "v_count", "v_last_at", "v_last_id";
END
$$;

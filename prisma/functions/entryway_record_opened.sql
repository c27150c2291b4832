-- Records that the time of some entries of a channel has come, in the order of their times: whether this transaction has the site's
-- turn to do so, and how many were recorded, or are not to be. What others have locked is left out.
CREATE OR REPLACE FUNCTION "entryway_record_opened"(
    "p_site_id" TEXT, "p_turn" BIGINT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_at" TIMESTAMPTZ, "p_ids" UUID[])
RETURNS TABLE ("has_turn" BOOLEAN, "entries" INTEGER) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_version" INTEGER;
    "v_old" "entryway_past_entry";
    "v_id" UUID;
    "v_ids" UUID[] := '{}';
BEGIN
    IF NOT pg_try_advisory_xact_lock("p_turn") THEN
        RETURN QUERY SELECT FALSE, 0;
        RETURN;
    END IF;
    IF pg_try_advisory_xact_lock_shared("p_lock") THEN
        SELECT c."sight_version" INTO "v_version" FROM "channels" c
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
        SELECT o."id", o."version", o."created_at", o."status", o."publish_at", o."owner", o."read_grant", o."read_deny",
            o."announced", o."sight_version"
        FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."id" = ANY("v_ids")
        ORDER BY o."publish_at", o."id" LIMIT cardinality("v_ids")
    LOOP
        UPDATE "entries" e SET "announced" = TRUE, "sight_version" = "v_version"
            WHERE e."site_id" = "p_site_id" AND e."id" = "v_old"."id";
        PERFORM "entryway_record_past"("p_site_id", "p_channel_uid", "v_old", TRUE, "p_at");
    END LOOP;
    RETURN QUERY SELECT TRUE, cardinality("v_ids");
END
$$;

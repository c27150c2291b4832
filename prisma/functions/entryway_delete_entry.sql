-- Deletes an entry, if it has the version that the delete was decided on; FALSE: it has not, or the channel has not.
CREATE OR REPLACE FUNCTION "entryway_delete_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_at" TIMESTAMPTZ, "p_id" UUID,
    "p_version" INTEGER, "p_actor" JSONB DEFAULT NULL)
RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_old" "entryway_past_entry";
    "v_was_open" BOOLEAN;
    "v_number" BIGINT;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN FALSE;
    END IF;
    DELETE FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = "p_id" AND e."channel_uid" = "p_channel_uid"
        AND e."version" = "p_version"
    RETURNING e."id", e."version", e."created_at", e."status", e."publish_at", e."owner", e."read_grant", e."read_deny", e."announced",
        e."sight_version" INTO "v_old";
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    -- Others read the entry until now, and not until the request began.
    "v_was_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
        AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
    IF ("v_channel"."publishable" AND "v_was_open" AND NOT "v_old"."announced")
        OR ("v_channel"."earlier_sights" <> '{}' AND "v_old"."sight_version" < "v_channel"."sight_version") THEN
        PERFORM "entryway_record_past"("p_site_id", "p_channel_uid", "v_old", "v_was_open", "p_at");
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.deleted', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_was_open" THEN FALSE END,
        "v_channel"."sight", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
        "p_actor");
    RETURN TRUE;
END
$$;

-- Records that the time of an entry has come, where its channel was publishable then. The author is the service, whoever writes meanwhile.
CREATE OR REPLACE FUNCTION "entryway_record_publication"(
    "p_site_id" TEXT, "p_channel_uid" UUID, "p_channel" TEXT, "p_entry" "entryway_past_entry", "p_before" SMALLINT, "p_sight" SMALLINT)
RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "v_number" BIGINT;
BEGIN
    IF "p_sight" & 170 = 0 THEN
        RETURN;
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.published', "p_entry"."publish_at", "p_channel_uid", "p_channel", "p_entry"."id",
        "p_entry"."version",
        "p_before", FALSE, "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        "p_sight", TRUE, "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        '{"kind": "service"}'::JSONB);
END
$$;

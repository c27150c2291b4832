-- Records what happened to an entry since it was written last, in the order of the times: its publication, if that is not recorded yet and
-- "p_is_open" says that its time has come, and that it was under earlier sights of its channel. The caller notes in the entry that this is
-- recorded, or writes the entry. The author of these records is the service: nobody wrote the entry then.
CREATE OR REPLACE FUNCTION "entryway_record_past"(
    "p_site_id" TEXT, "p_channel_uid" UUID, "p_entry" "entryway_past_entry", "p_is_open" BOOLEAN, "p_at" TIMESTAMPTZ)
RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" RECORD;
    "v_first" INTEGER;
    "v_earlier" SMALLINT[];
    "v_until" TIMESTAMPTZ[];
    "v_all" SMALLINT;
    "v_is_due" BOOLEAN := "p_is_open" AND NOT coalesce("p_entry"."announced", TRUE);
    "v_is_open" BOOLEAN := "p_is_open";
    "v_published_in" INTEGER := 1;
    "v_number" BIGINT;
BEGIN
    SELECT c."id", c."publishable", c."sight", c."earlier_sights", c."earlier_sights_until", c."sight_version" INTO "v_channel"
        FROM "channels" c WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid";
    "v_first" := greatest(1, cardinality("v_channel"."earlier_sights") - ("v_channel"."sight_version" - "p_entry"."sight_version") + 1);
    "v_earlier" := "v_channel"."earlier_sights"["v_first":];
    IF "v_earlier" = '{}' THEN
        IF "v_is_due" THEN
            PERFORM "entryway_record_publication"("p_site_id", "p_channel_uid", "v_channel"."id", "p_entry", "v_channel"."sight",
                "v_channel"."sight");
        END IF;
        RETURN;
    END IF;
    "v_until" := "v_channel"."earlier_sights_until"["v_first":];
    "v_all" := "entryway_past_sights"("v_earlier", "v_until", '-infinity');
    IF "v_is_due" THEN
        WHILE "v_until"["v_published_in"] < "p_entry"."publish_at" LOOP
            "v_published_in" := "v_published_in" + 1;
        END LOOP;
        IF "v_published_in" <= cardinality("v_earlier") THEN
            PERFORM "entryway_record_publication"("p_site_id", "p_channel_uid", "v_channel"."id", "p_entry",
                "entryway_past_sights"("v_earlier"[:"v_published_in"], "v_until", '-infinity'), "v_earlier"["v_published_in"]);
        ELSE
            -- All earlier sights had ended.
            "v_is_open" := FALSE;
        END IF;
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.sight', "p_at", "p_channel_uid", "v_channel"."id", "p_entry"."id", "p_entry"."version",
        -- The sights of channels that are not publishable are 85, those of publishable ones 170 (entryway_sight).
        CASE WHEN "v_is_open" THEN NULL
            WHEN "v_channel"."publishable" AND "v_all" & 85::SMALLINT <> 0 THEN FALSE
            WHEN NOT "v_channel"."publishable" AND "v_all" & 170::SMALLINT <> 0 THEN TRUE END,
        "entryway_past_sights"("v_earlier", "v_until",
            "entryway_opened_at"("p_entry"."announced", "p_entry"."status", "p_entry"."publish_at")),
        "v_is_open", "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        "v_channel"."sight", "v_is_open", "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        '{"kind": "service"}'::JSONB);
    IF "v_is_due" AND NOT "v_is_open" THEN
        PERFORM "entryway_record_publication"("p_site_id", "p_channel_uid", "v_channel"."id", "p_entry", "v_channel"."sight",
            "v_channel"."sight");
    END IF;
END
$$;

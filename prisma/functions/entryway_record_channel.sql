-- Records that a channel was created, or that its settings were changed; the trigger names the type of the record. Its author is in the
-- channel's row, with the version that it has by that write: a process of the release before changes the channel without naming one.
CREATE OR REPLACE FUNCTION "entryway_record_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "actor")
    VALUES (NEW."site_id", TG_ARGV[0]::"change_type", NEW."updated_at", NEW."uid", NEW."id",
        CASE WHEN NEW."changed_by" ->> 'version' = NEW."version"::TEXT THEN NEW."changed_by" - 'version' END);
    RETURN NULL;
END
$$;

-- Records that a channel was created, or that its settings were changed; the trigger names the type of the record.
CREATE OR REPLACE FUNCTION "entryway_record_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel")
    VALUES (NEW."site_id", TG_ARGV[0]::"change_type", NEW."updated_at", NEW."uid", NEW."id");
    RETURN NULL;
END
$$;

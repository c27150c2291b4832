-- The name of a channel's type in the schema of its site (docs/contract.md §11.2).
ALTER TABLE "channels" ADD COLUMN "type_name" VARCHAR(63);

-- A process that keeps the list of a site's channels has to be told of a new one, too.
CREATE FUNCTION "entryway_notify_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('entryway', jsonb_build_array('channels', NEW."site_id", NEW."id")::TEXT);
    RETURN NULL;
END
$$;

CREATE TRIGGER "channels_notify_insert" AFTER INSERT ON "channels"
    FOR EACH ROW EXECUTE FUNCTION "entryway_notify_channel"();

-- A process that keeps the list of a site's channels has to be told of a new one, too.
CREATE OR REPLACE FUNCTION "entryway_notify_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('entryway', jsonb_build_array('channels', NEW."site_id", NEW."id")::TEXT);
    RETURN NULL;
END
$$;

-- Tells all processes of webhooks that follow a site's changes from now on.
CREATE OR REPLACE FUNCTION "entryway_notify_webhook"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('entryway', jsonb_build_array('webhooks', NEW."site_id")::TEXT);
    RETURN NULL;
END
$$;

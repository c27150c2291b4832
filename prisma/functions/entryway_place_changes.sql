-- For processes of releases before "entryway_place": they rely on the notification of the function itself.
CREATE OR REPLACE FUNCTION "entryway_place_changes"("site" TEXT) RETURNS "change_feeds" LANGUAGE plpgsql AS $$
DECLARE
    "v_placed" INTEGER;
    "v_feed" "change_feeds";
BEGIN
    SELECT p."placed" INTO "v_placed" FROM "entryway_place"("site") AS p;
    IF "v_placed" > 0 THEN
        PERFORM pg_notify('entryway', jsonb_build_array('changes', "site")::TEXT);
    END IF;
    SELECT * INTO "v_feed" FROM "change_feeds" f WHERE f."site_id" = "site";
    RETURN "v_feed";
END
$$;

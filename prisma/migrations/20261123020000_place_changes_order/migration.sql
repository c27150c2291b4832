-- Gives places as before (the migration "changes" says how), but reads the feed after it has looked for new records. The other
-- way round, another session could place and commit in between: the feed was then returned as it was before, so that a reader
-- who asked right after a write was not told of it until its next request.
CREATE OR REPLACE FUNCTION "entryway_place_changes"("site" TEXT) RETURNS "change_feeds" LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
    "first_new" CONSTANT BIGINT := 4611686018427387904;
    "has_new" BOOLEAN;
    "written" BIGINT;
    "feed" "change_feeds";
BEGIN
    -- New records have the highest numbers.
    "has_new" := coalesce(
        (SELECT c."position" FROM "changes" c WHERE c."site_id" = "site" ORDER BY c."position" DESC LIMIT 1) >= "first_new", FALSE);
    SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site";
    IF NOT FOUND THEN
        INSERT INTO "change_feeds" ("site_id") VALUES ("site") ON CONFLICT DO NOTHING;
        SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site";
    END IF;
    IF NOT "has_new" THEN
        RETURN "feed";
    END IF;
    SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site" FOR UPDATE;
    -- A new statement, which sees what those who held the lock before have placed. One record after the other, by its key: no
    -- plan can come to read more than the new ones.
    FOR "written" IN
        SELECT c."position" FROM "changes" c WHERE c."site_id" = "site" AND c."position" >= "first_new" ORDER BY c."position" LIMIT 10000
    LOOP
        "feed"."last" := "feed"."last" + 1;
        UPDATE "changes" c SET "position" = "feed"."last" WHERE c."site_id" = "site" AND c."position" = "written";
    END LOOP;
    UPDATE "change_feeds" f SET "last" = "feed"."last" WHERE f."site_id" = "site" RETURNING f.* INTO "feed";
    PERFORM pg_notify('entryway', jsonb_build_array('changes', "site")::TEXT);
    RETURN "feed";
END
$$;

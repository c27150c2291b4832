-- Gives places to the new records of a site. Whoever gives them has the row of the feed in its turn because it has updated it: a lock
-- alone (FOR UPDATE) is not kept where Citus moves the shard meanwhile. Nothing is set from what was read in a turn that may have been
-- lost: each record has to be found, and the feed has to be where it was, or the transaction fails with serialization_failure and is
-- repeated. No notification is sent here, because it would hold a lock of the whole server until the commit is on disk: who calls
-- this sends one after the commit, where "placed" is not 0 (src/entries/feed/positionNotices.ts).
CREATE OR REPLACE FUNCTION "entryway_place"("p_site" TEXT, OUT "last" BIGINT, OUT "dropped" BIGINT, OUT "secret" BYTEA, OUT "placed" INTEGER)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    "v_first_new" CONSTANT BIGINT := 4611686018427387904;
    "v_newest" BIGINT;
    "v_written" BIGINT;
    "v_feed" "change_feeds";
    "v_placed" INTEGER := 0;
BEGIN
    -- New records have the highest numbers. The feed is read after it is known whether there are any.
    SELECT c."position" INTO "v_newest" FROM "changes" c WHERE c."site_id" = "p_site" ORDER BY c."position" DESC LIMIT 1;
    SELECT * INTO "v_feed" FROM "change_feeds" f WHERE f."site_id" = "p_site";
    IF NOT FOUND THEN
        INSERT INTO "change_feeds" ("site_id") VALUES ("p_site") ON CONFLICT DO NOTHING;
        SELECT * INTO "v_feed" FROM "change_feeds" f WHERE f."site_id" = "p_site";
    END IF;
    IF "v_newest" >= "v_first_new" THEN
        UPDATE "change_feeds" f SET "last" = f."last" WHERE f."site_id" = "p_site" RETURNING f.* INTO "v_feed";
        IF NOT FOUND THEN
            RAISE serialization_failure USING MESSAGE = 'the feed of the site is gone';
        END IF;
        -- A new statement, which sees what those who had the turn before have placed. One record after the other, by its key: no
        -- plan can come to read more than the new ones.
        FOR "v_written" IN
            SELECT c."position" FROM "changes" c WHERE c."site_id" = "p_site" AND c."position" >= "v_first_new"
            ORDER BY c."position" LIMIT 10000
        LOOP
            "v_placed" := "v_placed" + 1;
            UPDATE "changes" c SET "position" = "v_feed"."last" + "v_placed"
                WHERE c."site_id" = "p_site" AND c."position" = "v_written";
            IF NOT FOUND THEN
                RAISE serialization_failure USING MESSAGE = 'a record of the feed was placed in another turn';
            END IF;
        END LOOP;
        IF "v_placed" > 0 THEN
            UPDATE "change_feeds" f SET "last" = f."last" + "v_placed"
                WHERE f."site_id" = "p_site" AND f."last" = "v_feed"."last" RETURNING f.* INTO "v_feed";
            IF NOT FOUND THEN
                RAISE serialization_failure USING MESSAGE = 'the feed of the site moved in another turn';
            END IF;
        END IF;
    END IF;
    SELECT "v_feed"."last", "v_feed"."dropped", "v_feed"."secret", "v_placed" INTO "last", "dropped", "secret", "placed";
END
$$;

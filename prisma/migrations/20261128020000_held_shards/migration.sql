-- Keeps the rows of a site on their node until the transaction ends, where they are spread over the nodes of Citus: a shard moves when all
-- transactions that have written to it are over, whether they found a row or not. A row that is locked by a SELECT holds up no move,
-- and on the node to which it moves it is not locked. So whoever decides something by such a lock calls this first.
-- It returns the site, so that it can stand in the place of an argument.
CREATE FUNCTION "entryway_stay"("p_site_id" TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$
BEGIN
    IF "entryway_is_distributed"() THEN
        -- No feed has a negative place.
        UPDATE "change_feeds" f SET "last" = f."last" WHERE f."site_id" = "p_site_id" AND f."last" < 0;
    END IF;
    RETURN "p_site_id";
END
$$;

CREATE OR REPLACE FUNCTION "entryway_hold_channel"("p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_version" INTEGER)
RETURNS "entryway_held_channel" LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel";
BEGIN
    IF "entryway_is_distributed"() THEN
        PERFORM "entryway_stay"("p_site_id");
    END IF;
    PERFORM pg_advisory_xact_lock_shared("p_lock");
    SELECT c."id", c."publishable", c."sight", c."earlier_sights", c."sight_version" INTO "v_channel" FROM "channels" c
        WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid" AND c."version" = "p_version" FOR SHARE;
    RETURN "v_channel";
END
$$;

-- Locks a channel against changes of its settings until the transaction ends, if it has the version that a write was decided on;
-- NULL: it has another one. It shares the channel's lock first, so that the statement after it sees the channel as whoever
-- had the lock alone has left it.
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

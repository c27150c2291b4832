-- Claims for each entry of a channel the value that it was given in a field, if the channel has this version and these fields, so that
-- no other entry can get the same value. It violates the unique constraint if two entries have the same one.
CREATE OR REPLACE FUNCTION "entryway_claim_values"(
    "p_site_id" TEXT, "p_channel_uid" UUID, "p_version" INTEGER, "p_declared" JSONB, "p_field" TEXT, "p_type" TEXT)
RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM c."uid" FROM "channels" c WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid"
        AND c."version" = "p_version" AND c."fields" = "p_declared";
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE "entry_values" v SET "digest" = NULL
        WHERE v."site_id" = "p_site_id" AND v."channel_uid" = "p_channel_uid" AND v."field" = "p_field" AND v."digest" IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = v."entry_id"
                    AND jsonb_typeof(coalesce(e."kept" -> "p_field", e."data" -> "p_field")) = "p_type");
    INSERT INTO "entry_values" ("site_id", "entry_id", "channel_uid", "field", "digest")
        SELECT e."site_id", e."id", e."channel_uid", "p_field", "entryway_digest"(coalesce(e."kept" -> "p_field", e."data" -> "p_field"))
        FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."channel_uid" = "p_channel_uid"
            AND jsonb_typeof(coalesce(e."kept" -> "p_field", e."data" -> "p_field")) = "p_type"
    ON CONFLICT ("site_id", "entry_id", "field") DO UPDATE SET "digest" = EXCLUDED."digest";
END
$$;

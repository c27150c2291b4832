-- The unique fields whose values other entries of the channel have.
CREATE OR REPLACE FUNCTION "entryway_taken_fields"("p_site_id" TEXT, "p_channel_uid" UUID, "p_entry_id" UUID, "p_fields" TEXT[], "p_digests" BYTEA[])
RETURNS TEXT[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    "v_taken" TEXT[] := '{}';
BEGIN
    FOR "i" IN 1 .. cardinality("p_fields") LOOP
        CONTINUE WHEN "p_digests"["i"] IS NULL;
        PERFORM v."entry_id" FROM "entry_values" v WHERE v."site_id" = "p_site_id" AND v."channel_uid" = "p_channel_uid"
            AND v."field" = "p_fields"["i"] AND v."digest" = "p_digests"["i"] AND v."entry_id" <> "p_entry_id" LIMIT 1;
        IF FOUND THEN
            "v_taken" := "v_taken" || "p_fields"["i"];
        END IF;
    END LOOP;
    RETURN "v_taken";
END
$$;

-- Drops the oldest records of a site, those before a time, and notes which was the last. Returns how many.
CREATE OR REPLACE FUNCTION "entryway_drop_changes"("p_site_id" TEXT, "p_oldest" TIMESTAMPTZ, "p_limit" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
    "v_row" RECORD;
    "v_last" BIGINT;
    "v_count" INTEGER := 0;
BEGIN
    FOR "v_row" IN
        SELECT c."position", c."at" FROM "changes" c
        WHERE c."site_id" = "p_site_id" AND c."position" < 4611686018427387904 ORDER BY c."position" LIMIT "p_limit"
    LOOP
        EXIT WHEN "v_row"."at" >= "p_oldest";
        "v_last" := "v_row"."position";
    END LOOP;
    IF "v_last" IS NOT NULL THEN
        DELETE FROM "changes" c WHERE c."site_id" = "p_site_id" AND c."position" <= "v_last";
        GET DIAGNOSTICS "v_count" = ROW_COUNT;
    END IF;
    IF "v_count" > 0 THEN
        UPDATE "change_feeds" f SET "dropped" = greatest(f."dropped", "v_last") WHERE f."site_id" = "p_site_id";
    END IF;
    RETURN "v_count";
END
$$;

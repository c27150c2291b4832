-- Since when publication shows an entry to the public, in channels where it decides. It was announced after all earlier sights, or
-- written so.
CREATE OR REPLACE FUNCTION "entryway_opened_at"("announced" BOOLEAN, "status" "entry_status", "publish_at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL IMMUTABLE AS $$
    SELECT CASE WHEN "announced" THEN '-infinity' WHEN "status" = 'draft' THEN 'infinity' ELSE coalesce("publish_at", '-infinity') END
$$;

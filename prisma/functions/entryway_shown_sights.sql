-- The set of sights under which the public could see an entry of a channel until now, if access control lets it.
CREATE OR REPLACE FUNCTION "entryway_shown_sights"(
    "sight" SMALLINT, "earlier_sights" SMALLINT[], "until" TIMESTAMPTZ[], "sight_version" INTEGER,
    "entry_version" INTEGER, "opened_at" TIMESTAMPTZ, "now" TIMESTAMPTZ)
RETURNS INTEGER LANGUAGE SQL IMMUTABLE AS $$
    SELECT ("sight" | CASE WHEN "earlier_sights" = '{}' THEN 0::SMALLINT ELSE "entryway_past_sights"(
            "earlier_sights"[greatest(1, cardinality("earlier_sights") - ("sight_version" - "entry_version") + 1):],
            "until"[greatest(1, cardinality("earlier_sights") - ("sight_version" - "entry_version") + 1):], "opened_at") END)
        & CASE WHEN "opened_at" <= "now" THEN 255 ELSE 85 END
$$;

-- Which of the earlier sights an entry was under that was written so many versions ago. Of those that it was never under nobody
-- is told: it may have been hidden from who could read others then.
CREATE OR REPLACE FUNCTION "entryway_earlier_sights"("earlier" SMALLINT[], "versions" INTEGER) RETURNS SMALLINT LANGUAGE SQL IMMUTABLE AS $$
    SELECT coalesce(bit_or(s), 0::SMALLINT) FROM unnest("earlier"[greatest(1, cardinality("earlier") - "versions" + 1):]) AS s
$$;

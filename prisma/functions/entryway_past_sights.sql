-- The set of sights that an entry was under, which begins to be shown at a time. Those of publishable channels (170) that ended before
-- are other bits, one for each scope: the public never saw the entry there, and who sees every state did. An end that is not known
-- counts as a late one.
CREATE OR REPLACE FUNCTION "entryway_past_sights"("sights" SMALLINT[], "until" TIMESTAMPTZ[], "opened_at" TIMESTAMPTZ) RETURNS SMALLINT
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    "v_set" INTEGER := 0;
    "v_sight" INTEGER;
BEGIN
    FOR i IN 1 .. cardinality("sights") LOOP
        "v_sight" := "sights"[i];
        IF "until"[i] < "opened_at" THEN
            "v_sight" := ("v_sight" & 85) | (("v_sight" & 2) << 7) | (("v_sight" & 8) << 6) | (("v_sight" & 32) << 5) | (("v_sight" & 128) << 4);
        END IF;
        "v_set" := "v_set" | "v_sight";
    END LOOP;
    RETURN "v_set";
END
$$;

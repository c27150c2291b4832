-- The vector of a text. "words" has three lines, each with the same number of words: as they are stemmed, without marks, and transcribed (ü as
-- ue). A line is empty where it is equal to the one before. Stop words have no form.
CREATE OR REPLACE FUNCTION "entryway_word_vector"("language" REGCONFIG, "words" TEXT) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "v_spelled" TEXT := split_part("words", E'\n', 1);
    "v_plain" TEXT := coalesce(nullif(split_part("words", E'\n', 2), ''), "v_spelled");
    "v_transcribed" TEXT := split_part("words", E'\n', 3);
    "v_stems" tsvector := to_tsvector("language", "v_spelled");
    "v_whole" tsvector;
BEGIN
    IF "language" = 'simple'::regconfig AND "v_plain" = "v_spelled" AND "v_transcribed" = '' THEN
        RETURN "v_stems";
    END IF;
    "v_whole" := to_tsvector('simple', "v_plain");
    -- Vectors that are joined as texts keep their positions: `||` would put one behind the other.
    IF "v_transcribed" <> '' THEN
        "v_whole" := ("v_whole"::text || ' ' || to_tsvector('simple', "v_transcribed")::text)::tsvector;
    END IF;
    IF "v_plain" <> "v_spelled" THEN
        "v_stems" := ("v_stems"::text || ' ' || to_tsvector("language", "v_plain")::text)::tsvector;
    END IF;
    -- A word that is a stem as well is no stop word; and no stop word of PostgreSQL has more than 13 characters.
    "v_whole" := ts_delete("v_whole", ARRAY(
        SELECT w FROM unnest(tsvector_to_array(ts_delete("v_whole", tsvector_to_array("v_stems")))) AS w
        WHERE length(w) <= 13 AND length(to_tsvector("language", w)) = 0));
    RETURN ("v_stems"::text || ' ' || "v_whole"::text)::tsvector;
END
$$;

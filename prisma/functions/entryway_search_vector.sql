-- What a search finds an entry by: its channel, and its words by weight.
CREATE OR REPLACE FUNCTION "entryway_search_vector"("channel" UUID, "language" REGCONFIG, "a" TEXT, "b" TEXT, "c" TEXT) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "vector" tsvector := array_to_tsvector(ARRAY['@' || "channel"]);
BEGIN
    IF "a" <> '' THEN
        "vector" := "vector" || setweight("entryway_word_vector"("language", "entryway_with_plain_words"("a")), 'A');
    END IF;
    IF "b" <> '' THEN
        "vector" := "vector" || setweight("entryway_word_vector"("language", "entryway_with_plain_words"("b")), 'B');
    END IF;
    IF "c" <> '' THEN
        "vector" := "vector" || setweight("entryway_word_vector"("language", "entryway_with_plain_words"("c")), 'C');
    END IF;
    RETURN "vector";
END
$$;

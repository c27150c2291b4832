-- Searches find words without regard to marks, and by the beginning of their last word (docs/search.md). A vector has each word in several
-- forms at one position: its stems, with and without marks, and the whole word without marks. The service makes the texts of these forms.

-- The texts of a process of the release before, which has one line: with another one, without marks. Long ones stay, because their vectors could
-- be too large.
CREATE FUNCTION "entryway_with_plain_words"("words" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN strpos("words", E'\n') > 0 OR octet_length("words") = length("words") OR octet_length("words") > 100000 THEN "words"
        ELSE "words" || E'\n' || normalize(replace(replace(replace(translate(
            regexp_replace(normalize("words", NFD), '[\u0300-\u036F\u0591-\u05BD\u0610-\u061A\u064B-\u065F\u0670]', '', 'g'),
            'łøđðħıŧ', 'loddhit'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), NFC)
    END
$$;

-- The vector of a text. "words" has three lines, each with the same number of words: as they are stemmed, without marks, and transcribed (ü as
-- ue). A line is empty where it is equal to the one before. Stop words have no form.
CREATE FUNCTION "entryway_word_vector"("language" REGCONFIG, "words" TEXT) RETURNS tsvector
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

-- The query for one word of a search: any of its forms. "word" has "stems", the word as it is stemmed, and "exact" or "begins", whole words or
-- their beginnings.
CREATE FUNCTION "entryway_word_query"("language" REGCONFIG, "word" JSONB) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "v_forms" tsquery[] := '{}';
    "v_found" tsquery;
    "v_form" tsquery;
    "v_text" TEXT;
BEGIN
    -- One word each. Digits with an e, as in 1e5x, are several to PostgreSQL, here as in a vector.
    FOR "v_text" IN SELECT b FROM jsonb_array_elements_text("word" -> 'begins') AS b LOOP
        "v_forms" := "v_forms" || to_tsquery('simple', quote_literal("v_text") || ':*');
    END LOOP;
    FOR "v_text" IN SELECT e FROM jsonb_array_elements_text("word" -> 'exact') AS e LOOP
        "v_forms" := "v_forms" || phraseto_tsquery('simple', "v_text");
    END LOOP;
    FOR "v_text" IN SELECT s FROM jsonb_array_elements_text("word" -> 'stems') AS s LOOP
        CONTINUE WHEN length(to_tsvector("language", "v_text")) = 0;
        "v_form" := phraseto_tsquery("language", "v_text");
        -- A rank would take a word and the same word as a beginning for one, and only one of the two would count.
        CONTINUE WHEN "v_form"::text = ANY("v_forms"::text[]) OR "v_form"::text || ':*' = ANY("v_forms"::text[]);
        "v_forms" := "v_forms" || "v_form";
    END LOOP;
    FOREACH "v_form" IN ARRAY "v_forms" LOOP
        "v_found" := CASE WHEN "v_found" IS NULL THEN "v_form" ELSE "v_found" || "v_form" END;
    END LOOP;
    RETURN "v_found";
END
$$;

-- The query of a search, or NULL where it has nothing to look for. "alternatives" are lists of terms that all have to be met: a term is a word,
-- or several that follow each other, or (if "without") that must not. Stop words are left out, unless there is nothing else: then the last word
-- is a beginning.
CREATE FUNCTION "entryway_search_query"("language" REGCONFIG, "alternatives" JSONB) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "v_found" tsquery;
    "v_last" tsquery;
    "v_all" tsquery;
    "v_phrase" tsquery;
    "v_query" tsquery;
    "v_gap" INTEGER;
    "v_terms" JSONB;
    "v_term" JSONB;
    "v_word" JSONB;
BEGIN
    FOR "v_terms" IN SELECT a FROM jsonb_array_elements("alternatives") AS a LOOP
        "v_all" := NULL;
        FOR "v_term" IN SELECT t FROM jsonb_array_elements("v_terms") AS t LOOP
            "v_phrase" := NULL;
            "v_gap" := 1;
            FOR "v_word" IN SELECT w FROM jsonb_array_elements("v_term" -> 'words') AS w LOOP
                IF length(to_tsvector("language", "v_word" -> 'stems' ->> 0)) = 0 THEN
                    "v_gap" := "v_gap" + 1;
                    IF jsonb_array_length("v_word" -> 'begins') > 0 THEN
                        "v_last" := "entryway_word_query"("language", "v_word");
                    END IF;
                    CONTINUE;
                END IF;
                "v_query" := "entryway_word_query"("language", "v_word");
                "v_phrase" := CASE WHEN "v_phrase" IS NULL THEN "v_query" ELSE tsquery_phrase("v_phrase", "v_query", "v_gap") END;
                "v_gap" := 1;
            END LOOP;
            IF ("v_term" -> 'without')::boolean THEN
                "v_phrase" := !! "v_phrase";
            END IF;
            "v_all" := CASE WHEN "v_all" IS NULL THEN "v_phrase" WHEN "v_phrase" IS NULL THEN "v_all" ELSE "v_all" && "v_phrase" END;
        END LOOP;
        "v_found" := CASE WHEN "v_found" IS NULL THEN "v_all" WHEN "v_all" IS NULL THEN "v_found" ELSE "v_found" || "v_all" END;
    END LOOP;
    RETURN coalesce("v_found", "v_last");
END
$$;

-- The entries that are there have none of the new forms: the running service derives them again in the background, batch by batch. This
-- statement writes one row for each channel, and no entry. A higher version makes writes that were decided on the channel start again.
UPDATE "channels" SET "fields_version" = "fields_version" + 1, "version" = "version" + 1;

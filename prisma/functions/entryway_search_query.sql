-- The query of a search, or NULL where it has nothing to look for. "alternatives" are lists of terms that all have to be met: a term is a word,
-- or several that follow each other, or (if "without") that must not. Stop words are left out, unless there is nothing else: then the last word
-- is a beginning.
CREATE OR REPLACE FUNCTION "entryway_search_query"("language" REGCONFIG, "alternatives" JSONB) RETURNS tsquery
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

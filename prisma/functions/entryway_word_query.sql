-- The query for one word of a search: any of its forms. "word" has "stems", the word as it is stemmed, and "exact" or "begins", whole words or
-- their beginnings.
CREATE OR REPLACE FUNCTION "entryway_word_query"("language" REGCONFIG, "word" JSONB) RETURNS tsquery
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

-- The key of a value in an indexed field: of a text its beginning without regard to case, of other values the given one.
CREATE OR REPLACE FUNCTION "entryway_index_key"("value" JSONB, "given" TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF jsonb_typeof("value") = 'string' THEN
        RETURN 't' || "entryway_fold"(left("value" #>> '{}', 300));
    END IF;
    RETURN "given";
END
$$;

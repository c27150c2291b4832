-- The digests of those values that are unique, each at the place of its value; NULL: none is.
CREATE OR REPLACE FUNCTION "entryway_digests"("values" JSONB[], "uniques" BOOLEAN[]) RETURNS BYTEA[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "digests" BYTEA[];
BEGIN
    IF TRUE = ANY("uniques") THEN
        "digests" := array_fill(NULL::BYTEA, ARRAY[cardinality("values")]);
        FOR "i" IN 1 .. cardinality("values") LOOP
            IF "uniques"["i"] THEN "digests"["i"] := "entryway_digest"("values"["i"]); END IF;
        END LOOP;
    END IF;
    RETURN "digests";
END
$$;

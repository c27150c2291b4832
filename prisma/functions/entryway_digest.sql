-- A digest of a JSON scalar, equal only for equal values of a field. Numbers are equal by value, however they are spelled.
CREATE OR REPLACE FUNCTION "entryway_digest"("value" JSONB) RETURNS BYTEA LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF jsonb_typeof("value") = 'number' THEN
        RETURN sha256(convert_to(trim_scale("value"::NUMERIC)::TEXT, 'UTF8'));
    END IF;
    RETURN sha256(convert_to("value" #>> '{}', 'UTF8'));
END
$$;

-- The names of these values never change, so that the text of one is the same for ever. PostgreSQL's own conversion is only
-- stable, and Citus returns from a write what is immutable alone.
CREATE OR REPLACE FUNCTION "entryway_text"("value" "token_kind") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN enum_out("value");
END
$$;

CREATE OR REPLACE FUNCTION "entryway_text"("value" "channel_scope") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN enum_out("value");
END
$$;

CREATE OR REPLACE FUNCTION "entryway_text"("value" "webhook_audience") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN enum_out("value");
END
$$;

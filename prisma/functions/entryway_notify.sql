-- Whatever decides access tells every process when it changes: a JSON array on the channel "entryway", of the table's name and the old
-- row's values of the columns that the trigger names. A bytea reads as \x and hex digits. The table's name is the trigger's first
-- argument: the name that a trigger sees is that of a shard, on a node.
CREATE OR REPLACE FUNCTION "entryway_notify"() RETURNS TRIGGER LANGUAGE plpgsql SET "bytea_output" TO 'hex' AS $$
BEGIN
    PERFORM pg_notify('entryway', (
        SELECT (jsonb_build_array(TG_ARGV[0]) || jsonb_agg(to_jsonb(OLD) -> "column" ORDER BY "position"))::TEXT
        FROM unnest(TG_ARGV[1:]) WITH ORDINALITY AS "argument"("column", "position")));
    RETURN NULL;
END
$$;

-- The number of a new record, as the column's default. Statements that insert records give it themselves: Citus keeps no plan of one
-- that calls a volatile function, and makes and plans its text anew each time.
CREATE OR REPLACE FUNCTION "entryway_record_number"() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF "entryway_is_distributed"() THEN
        RETURN "entryway_written_at"();
    END IF;
    RETURN 4611686018427387904 + nextval('changes_written');
END
$$;

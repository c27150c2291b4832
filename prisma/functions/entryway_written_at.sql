-- What the number of a new record is where the tables are distributed, in place of a sequence: each node would have a part of the
-- sequence's numbers, and a site that is moved to another node would go on with earlier ones. It is the time, in microseconds; where
-- one record was written after another one had been seen, clocks of nodes have to agree on that. A connection's numbers go up even
-- if its clock goes back, and the last ten bits keep those of several connections apart.
CREATE OR REPLACE FUNCTION "entryway_written_at"() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    "at" BIGINT := (extract(EPOCH FROM clock_timestamp() - TIMESTAMPTZ '2026-01-01 00:00:00Z') * 1000000)::BIGINT;
    "last" BIGINT := nullif(current_setting('entryway.written_at', TRUE), '')::BIGINT;
BEGIN
    "at" := greatest("at", "last" + 1);
    PERFORM set_config('entryway.written_at', "at"::TEXT, FALSE);
    RETURN 4611686018427387904 + "at" * 1024 + (pg_backend_pid() & 1023);
END
$$;

-- Ends a statement that has taken so long already, with the code EW001: lists on the embedded database ask for each entry that they look
-- into (src/entries/timeLimit.ts). It costs the planner nothing, so that it is asked before anything else is compared. "entry" ties it to
-- the rows of a table: without that it would be asked once.
CREATE OR REPLACE FUNCTION "entryway_in_time"("entry" UUID, "most" INTERVAL) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE STRICT COST 0.0001 AS $$
BEGIN
    IF clock_timestamp() - statement_timestamp() >= "most" THEN
        RAISE EXCEPTION 'the statement has taken longer than %', "most" USING ERRCODE = 'EW001';
    END IF;
    RETURN TRUE;
END
$$;

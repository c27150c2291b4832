-- Keeps the rows of a site on their node until the transaction ends, where they are spread over the nodes of Citus: a shard moves when all
-- transactions that have written to it are over, whether they found a row or not. A row that is locked by a SELECT holds up no move,
-- and on the node to which it moves it is not locked. So whoever decides something by such a lock calls this first.
-- It returns the site, so that it can stand in the place of an argument.
CREATE OR REPLACE FUNCTION "entryway_stay"("p_site_id" TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$
BEGIN
    IF "entryway_is_distributed"() THEN
        -- No feed has a negative place.
        UPDATE "change_feeds" f SET "last" = f."last" WHERE f."site_id" = "p_site_id" AND f."last" < 0;
    END IF;
    RETURN "p_site_id";
END
$$;

-- Whether the tables are distributed. This is the text for one server: `entryway distribute` replaces it by one that returns TRUE, so that
-- no migration may replace it again. What it decides is folded into the plans that are kept, and these are made anew when it is replaced.
CREATE OR REPLACE FUNCTION "entryway_is_distributed"() RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT FALSE';

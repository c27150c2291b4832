-- What PostgreSQL's planner knows of channels, and an index of grants by channel, so that what a site asks for takes no longer because of
-- the entries of other sites.
--
-- A plan that is made once, for any channel, has to serve large ones, too. The planner takes the average: among thousands of sites each
-- channel seems to be empty, any index seems to find its entries as fast, and a fetch by slug read a million entries. With a hundred distinct
-- values it assumes a hundredth of the table: so much that a list is read in its order, and so little that the table is not read as a whole.
-- And a channel belongs to one site: their parts of a table are not to be multiplied, as if one did not follow from the other.
CREATE STATISTICS "entries_channel_stats" (dependencies) ON "site_id", "channel_uid" FROM "entries";
CREATE STATISTICS "entry_values_channel_stats" (dependencies) ON "site_id", "channel_uid" FROM "entry_values";

-- Keys such as "role:editor" are granted in many sites. The index had them without their channels: a list of what was granted in one
-- channel read what all of them grant. That index goes with a later release: processes of the one before have no other.
CREATE FUNCTION "entryway_keys_in"("channel_uid" UUID, "keys" TEXT[]) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg("channel_uid"::TEXT || ' ' || "key") FROM unnest("keys") AS "key"
$$;
CREATE INDEX "entries_grants_idx" ON "entries" USING GIN ("entryway_keys_in"("channel_uid", "read_grant"))
    WITH (gin_pending_list_limit = 128) WHERE "read_grant" <> '{}';

-- Citus takes no such options for distributed tables.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM "pg_extension" WHERE "extname" = 'citus') THEN
        ALTER TABLE "entries" ALTER COLUMN "site_id" SET (n_distinct = 100), ALTER COLUMN "channel_uid" SET (n_distinct = 100);
        ALTER TABLE "entry_values" ALTER COLUMN "site_id" SET (n_distinct = 100), ALTER COLUMN "channel_uid" SET (n_distinct = 100);
        ANALYZE "entries", "entry_values";
    END IF;
END
$$;

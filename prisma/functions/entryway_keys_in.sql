-- The keys with their channel, for an index of grants: keys such as "role:editor" are granted in many sites, and without their channels a
-- list of what was granted in one of them read what all of them grant.
CREATE OR REPLACE FUNCTION "entryway_keys_in"("channel_uid" UUID, "keys" TEXT[]) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg("channel_uid"::TEXT || ' ' || "key") FROM unnest("keys") AS "key"
$$;

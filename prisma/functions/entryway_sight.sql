-- What the scope and the publishing of a channel let others see of its entries, as one bit of eight: records hold sets of them.
CREATE OR REPLACE FUNCTION "entryway_sight"("scope" "channel_scope", "publishable" BOOLEAN) RETURNS SMALLINT LANGUAGE SQL IMMUTABLE AS $$
    SELECT (1 << (2 * CASE "scope" WHEN 'public' THEN 0 WHEN 'shared' THEN 1 WHEN 'private' THEN 2 ELSE 3 END + "publishable"::INT))::SMALLINT
$$;
